// SPDX-License-Identifier: GPL-2.0
/* What a machine has to build the module with, according to files of its root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../user/system/build_env.h"
#include "../../user/util/mem.h"

static char root[] = "/tmp/build_env.XXXXXX";

static void shell(const char *format, ...)
{
	char *command, *all;
	va_list args;

	va_start(args, format);
	command = mem_format_args(format, args);
	va_end(args);
	all = mem_format("cd %s && %s", root, command);
	assert_int_equal(system(all), 0);
	free(all);
	free(command);
}

static void put(const char *path, const char *text)
{
	shell("mkdir -p \"$(dirname '.%s')\" && printf '%%s\\n' '%s' >'.%s'", path, text, path);
}

static int begin(void **state)
{
	(void)state;
	strcpy(root, "/tmp/build_env.XXXXXX");
	return !mkdtemp(root);
}

static int end(void **state)
{
	(void)state;
	shell("rm -rf %s", root);
	return 0;
}

static void assert_command(char *command, const char *expected)
{
	assert_string_equal(command, expected);
	free(command);
}

static void test_versions(void **state)
{
	static const struct {
		const char *text;
		unsigned int gcc;
	} lines[] = {
		{ "Linux version 3.10.0-1160.el7.x86_64 (mockbuild@host) (gcc version 4.8.5 20150623 (Red Hat 4.8.5-44) (GCC) ) #1 SMP", 4 },
		{ "Linux version 4.18.0-553.el8_10.x86_64 (mockbuild@host) (gcc version 8.5.0 20210514 (Red Hat 8.5.0-22) (GCC)) #1 SMP", 8 },
		{ "Linux version 5.14.0-427.el9.x86_64 (mockbuild@host) (gcc (GCC) 11.4.1 20231218 (Red Hat 11.4.1-3), GNU ld version 2.35.2-43.el9) #1", 11 },
		{ "Linux version 6.1.0-56-amd64 (kernel@host) (gcc-12 (Debian 12.2.0-14+deb12u1) 12.2.0, GNU ld (GNU Binutils) 2.40) #1", 12 },
		{ "Linux version 6.9.0 (me@host) (clang version 17.0.6, LLD 17.0.6) #1", 0 },
		{ "Linux version 6.9.0 (me@host) (gcc", 0 },
		{ "", 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_int_equal(build_env_gcc_of(lines[i].text), lines[i].gcc);
}

static void test_centos(void **state)
{
	const char *release = "3.10.0-1160.el7.x86_64";
	struct build_env env;

	(void)state;
	put("/etc/os-release", "NAME=\"CentOS Linux\"\nID=\"centos\"\nID_LIKE=\"rhel fedora\"");
	put("/proc/version", "Linux version 3.10.0 (me@host) (gcc version 4.8.5 (GCC) ) #1 SMP");
	build_env_read(&env, root, release);
	assert_false(env.has_headers || env.has_make || env.has_dkms);
	assert_false(env.compiler || env.is_read_only);
	assert_int_equal(env.built_by, 4);
	assert_command(build_env_get_headers(&env, release),
		       "yum install kernel-devel-3.10.0-1160.el7.x86_64");
	assert_command(build_env_get_headers(&env, "4.18.0-553.el8.x86_64+debug"),
		       "yum install kernel-debug-devel-4.18.0-553.el8.x86_64");
	assert_command(build_env_get_headers(&env, "5.4.17-2136.el7uek.x86_64"),
		       "yum install kernel-uek-devel-5.4.17-2136.el7uek.x86_64");
	assert_command(build_env_get_compiler(&env, 4), "yum install gcc make");

	put("/usr/bin/make", "");
	put("/usr/sbin/dkms", "");
	put("/usr/libexec/gcc/x86_64-redhat-linux/4.8.5/cc1", "");
	put("/usr/lib/gcc/x86_64-redhat-linux/4.8.2/crtbegin.o", "");
	shell("mkdir -p lib/modules/%s/build/include/generated", release);
	shell("touch lib/modules/%s/build/Makefile", release);
	build_env_read(&env, root, release);
	assert_true(env.has_headers && env.has_make && env.has_dkms);
	assert_int_equal(env.compiler, 4);
	assert_string_equal(env.headers_of, "");
	shell("cd lib/modules/%s/build/include/generated && "
	      "echo '#define UTS_RELEASE \"3.10.0-957.el7.x86_64\"' >utsrelease.h", release);
	build_env_read(&env, root, release);
	assert_string_equal(env.headers_of, "3.10.0-957.el7.x86_64");
}

static void test_others(void **state)
{
	static const struct {
		const char *os_release, *headers, *compiler, *dkms;
	} machines[] = {
		{ "ID=debian", "apt-get install linux-headers-1.2", "apt-get install gcc-12 make",
		  "apt-get install dkms" },
		{ "ID=linuxmint\nID_LIKE=\"ubuntu debian\"", "apt-get install linux-headers-1.2",
		  "apt-get install gcc-12 make",
		  "apt-get install dkms" },
		{ "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"", "yum install kernel-devel-1.2",
		  "yum install gcc make", "yum install epel-release && yum install dkms" },
		{ "ID=fedora", "yum install kernel-devel-1.2", "yum install gcc make",
		  "yum install dkms" },
		{ "ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"",
		  "zypper install kernel-default-devel", "zypper install gcc make",
		  "zypper install dkms" },
		{ "ID=arch", "pacman -S linux-headers", "pacman -S gcc make",
		  "pacman -S dkms" },
		{ "ID=other", "install the headers of Linux 1.2, so that /lib/modules/1.2/build leads to them",
		  "install gcc and make", "install dkms" },
	};
	struct build_env env;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		put("/etc/os-release", machines[i].os_release);
		build_env_read(&env, root, "1.2");
		assert_command(build_env_get_headers(&env, "1.2"), machines[i].headers);
		assert_command(build_env_get_compiler(&env, 12), machines[i].compiler);
		assert_command(build_env_get_dkms(&env), machines[i].dkms);
	}
}

/* If there are two compilers, the newest is used. */
static void test_compilers(void **state)
{
	struct build_env env;

	(void)state;
	put("/usr/lib/gcc/x86_64-linux-gnu/9/cc1", "");
	put("/usr/libexec/gcc/x86_64-linux-gnu/14/cc1", "");
	build_env_read(&env, root, "1.2");
	assert_int_equal(env.compiler, 14);
	assert_command(build_env_get_compiler(&env, 0), "install gcc and make");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions),
		cmocka_unit_test_setup_teardown(test_centos, begin, end),
		cmocka_unit_test_setup_teardown(test_others, begin, end),
		cmocka_unit_test_setup_teardown(test_compilers, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
