// SPDX-License-Identifier: GPL-2.0
/* Libraries, compared with those that the system's loader finds for the same programs. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../user/plan/search.h"
#include "../../user/util/mem.h"
#include "../../user/util/root.h"

#define LOADER "/lib64/ld-linux-x86-64.so.2"

static const char *folder;

/* --- two ways to know ----------------------------------------------------- */

static void add_path(char **text, const char *path)
{
	char *longer = mem_format("%s%s\n", *text, path);

	free(*text);
	*text = longer;
}

/* Returns one path per line, or NULL if the file has no libraries. To be freed. */
static char *found_by_us(const char *path)
{
	char *text = mem_string(""), real[PATH_MAX];
	struct elf_file file;
	struct libs libs = { NULL, 0 };
	struct err err;
	size_t i;

	if (elf_file_open(&file, path, &err)) {
		free(text);
		return NULL;
	}
	assert_int_equal(search_libs(&file, &libs, &err), 0);
	for (i = 0; i < libs.nr; i++) {
		assert_int_equal(root_path(ROOT_OWN, libs.all[i].fd, real), 0);
		add_path(&text, real);
	}
	if (!file.interp) {
		free(text);
		text = NULL;
	}
	libs_free(&libs);
	elf_file_close(&file);
	return text;
}

/* "\tlibc.so.6 => /lib/libc.so.6 (0x...)" or "\t/lib64/ld-linux-x86-64.so.2 (0x...)" */
static char *found_by_loader(const char *path, const char *environment)
{
	char *command = mem_format("%s " LOADER " --list '%s' 2>/dev/null", environment, path);
	char *text = mem_string(""), line[2 * PATH_MAX], real[PATH_MAX], *at, *end;
	FILE *listing = popen(command, "r");

	assert_non_null(listing);
	while (fgets(line, sizeof(line), listing)) {
		at = strstr(line, " => ");
		at = at ? at + 4 : line + strspn(line, "\t");
		end = strstr(line, " (0x");
		if (!end || end < at || !memchr(at, '/', end - at))
			continue;
		*end = 0;
		assert_non_null(realpath(at, real));
		add_path(&text, real);
	}
	pclose(listing);
	free(command);
	return text;
}

static bool is_same(const char *path, const char *environment)
{
	char *ours = found_by_us(path), *its = NULL;
	bool is_same = true;

	if (ours) {
		its = found_by_loader(path, environment);
		is_same = !strcmp(ours, its);
	}
	if (!is_same)
		print_error("%s %s: we find\n%sthe loader finds\n%s", environment, path, ours, its);
	free(its);
	free(ours);
	return is_same;
}

/* --- programs of the system ----------------------------------------------- */

static void test_programs_of_the_system(void **state)
{
	DIR *programs = opendir("/usr/bin");
	size_t nr = 0, nr_other = 0;
	char path[PATH_MAX], *name;
	struct dirent *entry;

	(void)state;
	assert_non_null(programs);
	while ((entry = readdir(programs))) {
		name = mem_format("/usr/bin/%s", entry->d_name);
		/* each file once, whatever its names are */
		if (realpath(name, path) && (entry->d_type != DT_LNK || !strstr(path, "/bin/"))) {
			nr_other += !is_same(path, "");
			nr++;
		}
		free(name);
	}
	closedir(programs);
	assert_in_range(nr, 50, 100000);
	assert_int_equal(nr_other, 0);
}

/* --- our own -------------------------------------------------------------- */

static void enter(void)
{
	assert_int_equal(chdir(folder), 0);
}

static void check(const char *name)
{
	char path[PATH_MAX];

	assert_non_null(realpath(name, path));
	assert_true(is_same(path, ""));
}

static bool finds(const char *name, const char *wanted)
{
	char *ours = found_by_us(name);
	bool has = ours && strstr(ours, wanted);

	free(ours);
	return has;
}

static void test_paths_in_files(void **state)
{
	(void)state;
	enter();
	assert_true(finds("./by_runpath", "/run/sub/libsub.so\n"));
	assert_true(finds("./linked", "/run/sub/libsub.so\n"));
	assert_true(finds("./by_rpath", "/old/libdeep.so\n"));
	assert_true(finds("./by_path", "/own/libbare.so\n"));
	assert_true(finds("./here", "/own/libown.so\n"));
	assert_true(finds("./tokens", "/libsub.so\n"));
	assert_false(finds("./lacking", "libown"));
	check("by_runpath");
	check("linked");
	check("by_rpath");
	check("hidden");
	check("twins");
	check("hwcaps");
	check("tokens");
	check("by_path");
	check("here");
}

static void test_environment(void **state)
{
	char *list = mem_format("%s/env:/nowhere;%s/run/sub", folder, folder), *environment;

	(void)state;
	enter();
	environment = mem_format("LD_LIBRARY_PATH='%s'", list);
	setenv("LD_LIBRARY_PATH", list, 1);
	assert_true(finds("./lacking", "/env/libown.so\n"));
	assert_true(is_same("./lacking", environment));
	assert_true(is_same("./twins", environment));
	assert_true(is_same("./by_rpath", environment));
	/* the loader ignores this for a set-user-ID program */
	assert_int_equal(chmod("lacking", 04755), 0);
	assert_false(finds("./lacking", "libown"));
	unsetenv("LD_LIBRARY_PATH");
	free(environment);
	environment = mem_format("LD_PRELOAD='%s/own/libtwin.so %s/nothing'", folder, folder);
	setenv("LD_PRELOAD", strchr(environment, '\'') + 1, 1);
	getenv("LD_PRELOAD")[strlen(getenv("LD_PRELOAD")) - 1] = 0;
	assert_true(is_same("./by_runpath", environment));
	unsetenv("LD_PRELOAD");
	free(environment);
	free(list);
}

/* Neither the auditor that the file names nor its loader is run. */
static void test_nothing_is_run(void **state)
{
	(void)state;
	enter();
	assert_true(finds("./audited", "/own/libown.so\n"));
	assert_true(finds("./trapped", "/own/libown.so\n"));
	assert_int_equal(access("was_run", F_OK), -1);
	/* the test would detect a run */
	assert_int_equal(system("./audited"), 0);
	assert_int_equal(access("was_run", F_OK), 0);
	assert_int_equal(unlink("was_run"), 0);
}

/* --- another root --------------------------------------------------------- */

static bool reads(int root, const char *path, const char *text)
{
	char got[64] = "";
	struct stat st;
	int fd = root_open(root, path, &st);

	if (fd < 0)
		return false;
	assert_true(read(fd, got, sizeof(got) - 1) >= 0);
	close(fd);
	return !strcmp(got, text);
}

static void test_root(void **state)
{
	char path[PATH_MAX];
	struct stat st;
	int root, fd;

	(void)state;
	enter();
	root = open("root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(root >= 0);
	assert_true(reads(root, "/passwd", "inside\n"));
	assert_true(reads(root, "/../../etc/passwd", "inside\n"));
	assert_true(reads(root, "/up/up/etc/passwd", "inside\n"));
	assert_int_equal(root_open(root, "etc/passwd", &st), -1);
	fd = root_open(root, "/usr/lib/libown.so", &st);
	assert_true(fd >= 0);
	assert_int_equal(root_path(root, fd, path), 0);
	assert_string_equal(path, "/usr/lib/libown.so.1");
	close(fd);
	close(root);
}

/* An absolute link of that root leads to a file that exists only there. */
static void check_link(int pid)
{
	char *path = mem_format("/proc/%d/root/usr/lib/libown.so", pid);
	char *target = mem_format("%s.1", path), real[PATH_MAX];
	struct elf_file file;
	struct err err;

	assert_int_equal(root_realpath(path, real), 0);
	assert_string_equal(real, target);
	assert_int_equal(elf_file_open(&file, path, &err), 0);
	elf_file_close(&file);
	assert_int_equal(root_realpath("/usr/lib/libown.so", real), -1);
	free(target);
	free(path);
}

/* A process of this machine with another root: a fork is used, as tests need not run as root. */
static void test_process_of_another_root(void **state)
{
	int ends[2];
	pid_t child;
	char *path;

	(void)state;
	enter();
	if (geteuid())
		skip();
	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child) {
		alarm(60);
		if (chroot("root") || chdir("/") || write(ends[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ends[0], &(char){ 0 }, 1), 1);
	path = mem_format("/proc/%d/root/usr/bin/inside", (int)child);
	assert_true(finds(path, "/root/usr/lib/libown.so.1\n"));
	check_link((int)child);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	free(path);
	close(ends[0]);
	close(ends[1]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs_of_the_system),
		cmocka_unit_test(test_paths_in_files),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_nothing_is_run),
		cmocka_unit_test(test_root),
		cmocka_unit_test(test_process_of_another_root),
	};

	folder = argc > 1 ? argv[1] : "";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
