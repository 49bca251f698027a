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

static void test_what_is_there(void **state)
{
	const char *release = "3.10.0-1160.el7.x86_64";
	struct build_env env;

	(void)state;
	put("/proc/version", "Linux version 3.10.0 (me@host) (gcc version 4.8.5 (GCC) ) #1 SMP");
	build_env_read(&env, root, release);
	assert_false(env.has_headers || env.has_make || env.has_dkms);
	assert_false(env.compiler || env.is_read_only);
	assert_int_equal(env.built_by, 4);

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

/* If there are two compilers, the newest is used. */
static void test_compilers(void **state)
{
	struct build_env env;

	(void)state;
	put("/usr/lib/gcc/x86_64-linux-gnu/9/cc1", "");
	put("/usr/libexec/gcc/x86_64-linux-gnu/14/cc1", "");
	build_env_read(&env, root, "1.2");
	assert_int_equal(env.compiler, 14);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions),
		cmocka_unit_test_setup_teardown(test_what_is_there, begin, end),
		cmocka_unit_test_setup_teardown(test_compilers, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
