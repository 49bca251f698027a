// SPDX-License-Identifier: GPL-2.0
/* Which files are compiled, when, and which sessions get their tables. The module is played. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <json-c/json.h>

#include "../../include/uapi/ktrace_unwind.h"
#include "../../user/client/client.h"
#include "../../user/report/unwind_text.h"
#include "../../user/session/unwinder.h"
#include "../../user/util/mem.h"
#include "../../user/util/out.h"

#define PAGE 4096
#define FIRST 7		/* sessions */
#define SECOND 8

/* --- the module ------------------------------------------------------------------- */

struct given {
	uint64_t session;
	uint64_t inode;		/* 0: the vDSO */
	uint32_t nr_rows;	/* 0: it has no table */
};

static struct {
	uint64_t features;
	struct given given[512];
	size_t nr;
	size_t room;		/* bytes for one table */
	struct ktr_notice notices[8];
	size_t nr_notices, nr_taken;
	bool has_maps;		/* notices are kept */
} module;

static char place;
static struct ktr *const ktr = (struct ktr *)&place;

int ktr_info_sized(struct ktr *ktr, struct ktr_info *info, size_t len)
{
	(void)ktr;
	memset(info, 0, len);
	info->features = module.features;
	return 0;
}

void ktr_maps_keep(struct ktr *ktr, bool are_kept)
{
	(void)ktr;
	module.has_maps = are_kept;
}

bool ktr_maps_take(struct ktr *ktr, struct ktr_notice *notice)
{
	(void)ktr;
	if (module.nr_taken == module.nr_notices)
		return false;
	*notice = module.notices[module.nr_taken++];
	return true;
}

const char *ktr_reason(const struct ktr *ktr, int error)
{
	(void)ktr;
	return strerror(-error);
}

int ktr_unwind_add(struct ktr *ktr, uint64_t id, int fd, const void *table, size_t len)
{
	const struct ktrace_unwind_head *head = table;
	struct given *given;
	struct stat st = { .st_ino = 0 };

	(void)ktr;
	if (len > module.room)
		return -ENOMEM;
	assert_int_equal(!table, !len);
	if (fd >= 0)
		assert_int_equal(fstat(fd, &st), 0);
	assert_true(module.nr < sizeof(module.given) / sizeof(module.given[0]));
	given = &module.given[module.nr++];
	given->session = id;
	given->inode = st.st_ino;
	given->nr_rows = len ? head->nr_rows : 0;
	return 0;
}

static void notify(uint64_t session, pid_t pid)
{
	module.notices[module.nr_notices++] = (struct ktr_notice){
		.session = session, .event = KTRACE_EVENT_MAPS, .pid = pid,
	};
}

static int begin(void **state)
{
	memset(&module, 0, sizeof(module));
	module.features = KTRACE_FEATURE_UNWIND;
	module.room = SIZE_MAX;
	*state = mem_alloc(sizeof(struct unwinder));
	unwinder_open(*state, ktr);
	return 0;
}

static int end(void **state)
{
	unwinder_close(*state);
	free(*state);
	return 0;
}

/* --- looking ---------------------------------------------------------------------- */

static const struct unwound *find(const struct unwinder *unwinder, const char *name)
{
	size_t i;

	for (i = 0; i < unwinder->nr; i++)
		if (strstr(unwinder->files[i].name, name))
			return &unwinder->files[i];
	return NULL;
}

static const struct given *given_to(uint64_t session, const struct unwound *file)
{
	const struct given *found = NULL, *given;

	for (given = module.given; given < module.given + module.nr; given++)
		if (given->session == session && given->inode == file->key.inode)
			found = given;
	return found;
}

static void assert_table(const struct unwinder *unwinder, const char *name, uint64_t session)
{
	const struct unwound *file = find(unwinder, name);

	assert_non_null(file);
	assert_null(file->why);
	assert_true(file->nr_rows && file->len > 4 * file->nr_rows);
	assert_non_null(given_to(session, file));
	assert_int_equal(given_to(session, file)->nr_rows, file->nr_rows);
}

static void assert_refused(const struct unwinder *unwinder, const char *name, const char *why)
{
	const struct unwound *file = find(unwinder, name);

	assert_non_null(file);
	assert_non_null(file->why);
	assert_string_equal(file->why, why);
	assert_int_equal(file->len, 0);
	assert_non_null(given_to(FIRST, file));
	assert_int_equal(given_to(FIRST, file)->nr_rows, 0);
}

/* Copies a file to an unlinked one, and maps it as code. */
static void *map_deleted(const char *text, const char *from, size_t len)
{
	char path[] = "/tmp/unwinder-XXXXXX", *bytes = mem_alloc(len);
	int fd = mkstemp(path), source = from ? open(from, O_RDONLY) : -1;
	void *at;

	assert_true(fd >= 0);
	if (from)
		assert_int_equal(read(source, bytes, len), len);
	else
		memcpy(bytes, text, strlen(text));
	assert_int_equal(write(fd, bytes, len), len);
	at = mmap(NULL, len, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	unlink(path);
	close(fd);
	if (from)
		close(source);
	free(bytes);
	return at;
}

/* --- tests ------------------------------------------------------------------------ */

/* Before a program begins, every session has the tables of its files, each once. */
static void test_program(void **state)
{
	struct unwinder *unwinder = *state;
	size_t nr;

	unwinder_add_program(unwinder, "/bin/sleep");
	assert_int_equal(module.nr, 0);
	unwinder_give(unwinder, FIRST);
	nr = module.nr;
	assert_int_equal(nr, unwinder->nr);
	unwinder_give(unwinder, SECOND);
	assert_int_equal(module.nr, 2 * nr);
	unwinder_begun(unwinder);
	assert_table(unwinder, "[vdso]", FIRST);
	assert_table(unwinder, "/bin/sleep", FIRST);
	assert_table(unwinder, "libc.so", FIRST);
	assert_table(unwinder, "ld-linux", SECOND);
	assert_string_equal(unwinder->files[1].name, "/bin/sleep");
	for (nr = 0; nr < unwinder->nr; nr++)
		assert_true(unwinder->files[nr].fd < 0 && !unwinder->files[nr].table);
}

/* A file is recognised, whether it is found as a library or as a mapping. */
static void test_process(void **state)
{
	struct unwinder *unwinder = *state;
	int wait_status, ready[2];
	pid_t pid;
	size_t nr;
	char byte;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	if (!pid)
		execl("/bin/sleep", "sleep", "100", (char *)NULL);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 0); /* it has called exec */
	close(ready[0]);
	unwinder_add_program(unwinder, "/bin/sleep");
	unwinder_give(unwinder, FIRST);
	unwinder_begun(unwinder);
	nr = unwinder->nr;
	assert_table(unwinder, "libc.so", FIRST);
	notify(FIRST, pid);
	unwinder_look(unwinder);
	assert_int_equal(module.nr_taken, 1);
	assert_int_equal(unwinder->nr, nr);
	assert_int_equal(module.nr, nr);
	kill(pid, SIGKILL);
	waitpid(pid, &wait_status, 0);
	notify(FIRST, pid);
	unwinder_look(unwinder);
	assert_int_equal(unwinder->nr, nr);
}

/* Files that are mapped later are given at once; what is no program has frame pointers. */
static void test_notices(void **state)
{
	struct unwinder *unwinder = *state;
	void *text, *copy;
	struct stat st;
	size_t nr;

	assert_int_equal(stat("/bin/sleep", &st), 0);
	text = map_deleted("just text", NULL, PAGE);
	unwinder_give(unwinder, FIRST);
	unwinder_give(unwinder, SECOND);
	unwinder_begun(unwinder);
	notify(FIRST + 1000, getpid());
	unwinder_look(unwinder);
	assert_int_equal(unwinder->nr, 1);
	notify(FIRST, getpid());
	notify(SECOND, getpid());
	do {
		nr = unwinder->nr;
		unwinder_look(unwinder);
	} while (unwinder->nr > nr);
	assert_table(unwinder, "libc.so", FIRST);
	assert_table(unwinder, "libc.so", SECOND);
	assert_refused(unwinder, "/tmp/unwinder-", "it is not an ELF file");
	munmap(text, PAGE);

	nr = unwinder->nr;
	copy = map_deleted(NULL, "/bin/sleep", st.st_size);
	notify(SECOND, getpid());
	unwinder_look(unwinder);
	assert_int_equal(unwinder->nr, nr + 1);
	assert_null(unwinder->files[nr].why);
	assert_int_equal(unwinder->files[nr].nr_rows, given_to(FIRST, &unwinder->files[nr])->nr_rows);
	munmap(copy, st.st_size);
}

/* A file that was written again is another one, even if it has the same inode. */
static void test_changed(void **state)
{
	const struct timespec times[] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = 1 } };
	char path[] = "/tmp/unwinder-XXXXXX", *command;
	struct unwinder *unwinder = *state;
	size_t nr;
	void *at;
	const int32_t pid = getpid();
	int fd = mkstemp(path);

	command = mem_format("cat /bin/sleep >%s", path);
	assert_int_equal(system(command), 0);
	free(command);
	at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	unwinder_add_processes(unwinder, &pid, 1);
	unwinder_give(unwinder, FIRST);
	unwinder_begun(unwinder);
	assert_table(unwinder, path, FIRST);
	nr = unwinder->nr;
	notify(FIRST, getpid());
	unwinder_look(unwinder);
	assert_int_equal(unwinder->nr, nr);
	assert_int_equal(futimens(fd, times), 0);
	notify(FIRST, getpid());
	unwinder_look(unwinder);
	assert_int_equal(unwinder->nr, nr + 1);
	assert_non_null(strstr(unwinder->files[nr].name, path));
	assert_int_equal(unwinder->files[nr].nr_rows, given_to(FIRST, &unwinder->files[nr])->nr_rows);
	munmap(at, PAGE);
	unlink(path);
	close(fd);
}

/* Another one may follow for the next session. Without one, nobody takes notices. */
static void test_again(void **state)
{
	struct unwinder *unwinder = *state;
	const int32_t pid = getpid();
	size_t nr;

	assert_true(module.has_maps);
	unwinder_add_processes(unwinder, &pid, 1);
	unwinder_give(unwinder, FIRST);
	unwinder_begun(unwinder);
	nr = module.nr;
	unwinder_close(unwinder);
	assert_false(module.has_maps);
	unwinder_open(unwinder, ktr);
	assert_true(module.has_maps);
	unwinder_add_processes(unwinder, &pid, 1);
	unwinder_give(unwinder, SECOND);
	assert_int_equal(module.nr, 2 * nr);
	assert_table(unwinder, "libc.so", SECOND);
}

/* A table without room in the module: frame pointers, and the reason. Smaller tables have room. */
static void test_memory(void **state)
{
	struct unwinder *unwinder = *state;

	unwinder_add_program(unwinder, "/bin/sleep");
	module.room = find(unwinder, "libc.so")->len - 1;
	unwinder_give(unwinder, FIRST);
	unwinder_give(unwinder, SECOND);
	unwinder_begun(unwinder);
	assert_refused(unwinder, "libc.so", "the memory limit of the module (max_mem) is reached");
	assert_table(unwinder, "ld-linux", SECOND);
}

/* A module that has no tables gets none. */
static void test_older(void **state)
{
	struct unwinder old = { .ktr = NULL };
	const int32_t pid = getpid();

	(void)state;
	module.features = 0;
	unwinder_open(&old, ktr);
	assert_null(old.ktr);
	unwinder_add_program(&old, "/bin/sleep");
	unwinder_add_processes(&old, &pid, 1);
	unwinder_begun(&old);
	unwinder_look(&old);
	assert_int_equal(old.nr, 0);
	unwinder_close(&old);
}

static char *printed(const struct unwound *files, size_t nr)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	unwind_print(out, files, nr);
	fclose(out);
	return text;
}

static void assert_printed(struct unwound *files, size_t nr, const char *wanted)
{
	char *text = printed(files, nr);

	assert_string_equal(text, wanted);
	free(text);
}

static void test_text(void **state)
{
	struct unwound files[] = {
		{ .name = "/lib/libc.so.6", .nr_rows = 10, .len = 2000 },
		{ .name = "/lib/libfoo\n.so", .why = "it has no .eh_frame" },
		{ .name = "/bin/a", .nr_rows = 10, .len = 48 },
		{ .name = "[vdso]", .why = "it is odd" },
		{ .name = "/c", .why = "it is odd" }, { .name = "/d", .why = "it is odd" },
		{ .name = "/e", .why = "it is odd" }, { .name = "/f", .why = "it is odd" },
	};
	struct json_object *list;

	(void)state;
	assert_printed(files, 0, "");
	assert_printed(files, 1, "Stacks of programs were found by tables of 1 file (1.95 KiB).\n");
	assert_printed(files + 1, 1,
		       "Stacks of programs were found by frame pointers in libfoo\\x0a.so (it has no .eh_frame).\n");
	assert_printed(files, 8,
		       "Stacks of programs were found by tables of 2 files (2.00 KiB), and by frame pointers in "
		       "libfoo\\x0a.so (it has no .eh_frame), [vdso] (it is odd), c (it is odd), d (it is odd) "
		       "and in 2 more files (--format json lists them).\n");
	list = unwind_json(files, 2);
	assert_string_equal(json_object_to_json_string_ext(list, JSON_C_TO_STRING_PLAIN),
			    "[{\"file\":\"\\/lib\\/libc.so.6\",\"method\":\"table\",\"rows\":10,\"bytes\":2000},"
			    "{\"file\":\"\\/lib\\/libfoo\\n.so\",\"method\":\"frame pointers\",\"rows\":0,\"bytes\":0,"
			    "\"reason\":\"it has no .eh_frame\"}]");
	json_object_put(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_program, begin, end),
		cmocka_unit_test_setup_teardown(test_process, begin, end),
		cmocka_unit_test_setup_teardown(test_notices, begin, end),
		cmocka_unit_test_setup_teardown(test_changed, begin, end),
		cmocka_unit_test_setup_teardown(test_again, begin, end),
		cmocka_unit_test_setup_teardown(test_memory, begin, end),
		cmocka_unit_test_setup_teardown(test_older, begin, end),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
