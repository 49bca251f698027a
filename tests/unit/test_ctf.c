// SPDX-License-Identifier: GPL-2.0
/* Where a CTF trace may be written, and that a failed write is an error that names the file. */
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
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../user/report/ctf.h"

static const char *folder;

static int sync_error;
static unsigned int nr_synced;

/* Replaces the C library's function. */
int fdatasync(int fd)
{
	(void)fd;
	nr_synced++;
	errno = sync_error;
	return sync_error ? -1 : 0;
}

static char *path_of(const char *name)
{
	static char paths[4][4096];
	static int nr;

	nr = (nr + 1) % 4;
	snprintf(paths[nr], sizeof(paths[nr]), "%s/%s", folder, name);
	return paths[nr];
}

static char *texts[] = { "main", "late" };
static struct names names = { .texts = texts, .nr = 1 };

static struct ctf *create(const char *path, struct err *err)
{
	static const struct ktr_session session = { .id = 1, .cookie = 2 };

	err->text[0] = 0;
	return ctf_create(path, &session, &names, err);
}

static void add_event_of(struct ctf *ctf, uint32_t cpu)
{
	struct ktr_record event = { .written = 1000, .id = EVENT_TASK_EXIT, .tid = 1, .cpu = cpu };

	ctf_event(ctf, &event);
}

static void add_event(struct ctf *ctf)
{
	add_event_of(ctf, 0);
}

static int finish(struct ctf *ctf, struct err *err)
{
	return ctf_finish(ctf, err);
}

static unsigned int mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

static void refuses(const char *path, const char *words)
{
	struct err err;

	assert_null(create(path, &err));
	assert_non_null(strstr(err.text, words));
	assert_non_null(strstr(err.text, path));
}

static void test_nobody_else_reads_it(void **state)
{
	struct ctf *ctf;
	struct err err;

	(void)state;
	umask(0);
	ctf = create(path_of("own"), &err);
	assert_non_null(ctf);
	add_event(ctf);
	assert_int_equal(finish(ctf, &err), 0);
	assert_int_equal(mode_of(path_of("own")), 0700);
	assert_int_equal(mode_of(path_of("own/stream_0")), 0600);
	assert_int_equal(mode_of(path_of("own/metadata")), 0600);
	refuses(path_of("own"), "is not an empty folder");
}

static void test_folders_of_others(void **state)
{
	const char *foreign = "/proc";

	(void)state;
	if (!geteuid()) {
		foreign = path_of("foreign");
		assert_int_equal(mkdir(foreign, 0700), 0);
		assert_int_equal(chown(foreign, 65534, 65534), 0);
	}
	refuses(foreign, "belongs to user");
	assert_int_equal(mkdir(path_of("open"), 0700), 0);
	assert_int_equal(chmod(path_of("open"), 0777), 0);
	refuses(path_of("open"), "Other users may write");
}

static void test_links_are_not_followed(void **state)
{
	char *link = path_of("link");
	struct err err;
	struct ctf *ctf;

	(void)state;
	assert_int_equal(mkdir(path_of("real"), 0700), 0);
	assert_int_equal(symlink("real", link), 0);
	refuses(link, "is not an empty folder");
	strcat(link, "/");
	assert_null(create(link, &err));

	ctf = create(path_of("real"), &err);
	assert_non_null(ctf);
	assert_int_equal(symlink("../victim", path_of("real/stream_0")), 0);
	add_event(ctf);
	assert_int_equal(ctf_flush(ctf), -1);
	assert_int_equal(finish(ctf, &err), -1);
	assert_non_null(strstr(err.text, "real/stream_0 failed: File exists"));
	assert_int_equal(access(path_of("victim"), F_OK), -1);
}

/* Writing continues in the folder that was made, whatever has its name now. */
static void test_folder_that_is_replaced(void **state)
{
	struct err err;
	struct ctf *ctf = create(path_of("named"), &err);

	(void)state;
	assert_non_null(ctf);
	assert_int_equal(rename(path_of("named"), path_of("moved")), 0);
	assert_int_equal(mkdir(path_of("trap"), 0700), 0);
	assert_int_equal(symlink("trap", path_of("named")), 0);
	assert_int_equal(finish(ctf, &err), 0);
	assert_int_equal(access(path_of("moved/metadata"), F_OK), 0);
	assert_int_equal(access(path_of("trap/metadata"), F_OK), -1);
}

static off_t size_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_size;
}

/* Makes files that grow beyond this size fail, as on a full disk; 0: no more. */
static void limit_files(rlim_t len)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = len ? len : limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
}

/* Returns how many events babeltrace2 reads from the folder without an error, or -1. */
static int nr_readable(const char *path)
{
	char command[4200];
	int nr = 0;
	FILE *out;

	snprintf(command, sizeof(command), "babeltrace2 '%s' 2>&1", path);
	out = popen(command, "r");
	assert_non_null(out);
	while (fgets(command, sizeof(command), out))
		nr++;
	return pclose(out) ? -1 : nr;
}

/* The packet that does not fit is missing, and the packets before it can be read. */
static void test_failed_writes(void **state)
{
	struct err err;
	struct ctf *ctf = create(path_of("full"), &err);
	off_t size;
	int i;

	(void)state;
	assert_non_null(ctf);
	add_event(ctf);
	assert_int_equal(ctf_flush(ctf), 0);
	size = size_of(path_of("full/stream_0"));
	limit_files(size + 100);
	for (i = 0; i < 10; i++)
		add_event(ctf);
	assert_int_equal(ctf_flush(ctf), -1);
	limit_files(0);
	assert_int_equal(ctf_flush(ctf), -1);
	assert_int_equal(size_of(path_of("full/stream_0")), size);
	assert_int_equal(finish(ctf, &err), -1);
	assert_non_null(strstr(err.text, "full/stream_0 failed: File too large"));
	assert_int_equal(size_of(path_of("full/stream_0")), size);
	assert_int_equal(nr_readable(path_of("full")), 1);
}

/* A disk that is full from the start leaves no part of the description. */
static void test_failed_description(void **state)
{
	struct err err;
	struct ctf *ctf = create(path_of("tiny"), &err);

	(void)state;
	assert_non_null(ctf);
	add_event(ctf);
	limit_files(100);
	assert_int_equal(ctf_flush(ctf), -1);
	limit_files(0);
	assert_int_equal(finish(ctf, &err), -1);
	assert_non_null(strstr(err.text, "tiny/metadata failed: File too large"));
	assert_int_equal(size_of(path_of("tiny/stream_0")), 0);
	assert_int_equal(access(path_of("tiny/metadata"), F_OK), -1);
	assert_int_equal(access(path_of("tiny/.metadata"), F_OK), -1);
}

static bool describes(const char *name)
{
	char text[1 << 16];
	FILE *file = fopen(path_of("killed/metadata"), "r");
	size_t len;

	assert_non_null(file);
	len = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[len] = 0;
	return strstr(text, name);
}

/* What is on the disk can be read at every moment, so also if ktrace is killed. */
static void test_trace_without_an_end(void **state)
{
	static const uint64_t number[] = { KTRACE_VALUE_INT, 7 };
	static struct value_formats formats[] = { { "" }, { "dd" } };
	struct ktr_record event = { .written = 2000, .id = EVENT_ENTRY, .tid = 1 };
	struct err err;
	struct ctf *ctf = create(path_of("killed"), &err);

	(void)state;
	assert_non_null(ctf);
	add_event(ctf);
	assert_int_equal(ctf_flush(ctf), 0);
	assert_int_equal(nr_readable(path_of("killed")), 1);
	assert_false(describes("late"));
	/* A function, and a kind of event, that came later. */
	names.nr = 2;
	names.formats = formats;
	names.nr_changes++;
	event.func = 1;
	event.payload = number;
	event.nr_payload = 2;
	ctf_event(ctf, &event);
	assert_int_equal(ctf_flush(ctf), 0);
	assert_int_equal(nr_readable(path_of("killed")), 2);
	assert_true(describes("late"));
	names.nr = 1;
	names.formats = NULL;
	assert_int_equal(finish(ctf, &err), 0);
}

/* Files without new data are not flushed. */
static void test_what_is_flushed_is_on_disk(void **state)
{
	struct err err;
	struct ctf *ctf = create(path_of("synced"), &err);

	(void)state;
	assert_non_null(ctf);
	nr_synced = 0;
	add_event_of(ctf, 0);
	add_event_of(ctf, 2);
	assert_int_equal(ctf_flush(ctf), 0);
	assert_int_equal(nr_synced, 2);
	assert_int_equal(ctf_flush(ctf), 0);
	assert_int_equal(nr_synced, 2);
	add_event_of(ctf, 2);
	assert_int_equal(ctf_flush(ctf), 0);
	assert_int_equal(nr_synced, 3);
	assert_int_equal(finish(ctf, &err), 0);
}

/* After a failed flush nothing more is written. */
static void test_disk_that_fails_late(void **state)
{
	struct err err;
	struct ctf *ctf = create(path_of("late"), &err);
	off_t size;

	(void)state;
	assert_non_null(ctf);
	add_event(ctf);
	sync_error = EIO;
	assert_int_equal(ctf_flush(ctf), -1);
	assert_int_equal(errno, EIO);
	sync_error = 0;
	size = size_of(path_of("late/stream_0"));
	add_event(ctf);
	assert_int_equal(ctf_flush(ctf), -1);
	assert_int_equal(finish(ctf, &err), -1);
	assert_non_null(strstr(err.text, "late/stream_0 failed: Input/output error"));
	assert_int_equal(size_of(path_of("late/stream_0")), size);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nobody_else_reads_it),
		cmocka_unit_test(test_folders_of_others),
		cmocka_unit_test(test_links_are_not_followed),
		cmocka_unit_test(test_folder_that_is_replaced),
		cmocka_unit_test(test_failed_writes),
		cmocka_unit_test(test_failed_description),
		cmocka_unit_test(test_trace_without_an_end),
		cmocka_unit_test(test_what_is_flushed_is_on_disk),
		cmocka_unit_test(test_disk_that_fails_late),
	};

	folder = argv[argc - 1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
