// SPDX-License-Identifier: GPL-2.0
/* What the command does with a module that is played here, as it answers wrongly or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../user/kplan.h"
#include "../../user/maps.h"
#include "../../user/nl.h"
#include "../../user/stream.h"
#include "../../user/witness.h"

/* --- the module ----------------------------------------------------------------- */

static int info_error;
static uint32_t nr_read;

int knl_info(struct knl *nl, struct knl_info *info)
{
	(void)nl;
	memset(info, 0, sizeof(*info));
	info->limits.nr_cpus = 2;
	return info_error;
}

int knl_stream_read(struct knl *nl, uint64_t id, uint32_t cpu, uint64_t cursor, uint32_t flags,
		    struct knl_stream *stream, knl_packet_fn fn, void *arg)
{
	(void)nl, (void)id, (void)cpu, (void)flags, (void)fn, (void)arg;
	memset(stream, 0, sizeof(*stream));
	stream->next = cursor;
	stream->clock = UINT64_MAX;
	nr_read++;
	return 0;
}

static bool is_full;

static bool flush_if_room(void *arg)
{
	(void)arg;
	return !is_full;
}

/* A further read would acknowledge what is not written. */
static void test_nothing_is_acknowledged_unwritten(void **state)
{
	struct stream_sink sink = { .flush = flush_if_room };
	struct stream *stream = stream_create(NULL, 1, &sink);
	static const volatile int no;
	size_t nr;

	(void)state;
	assert_int_equal(stream_read(stream, &nr), 0);
	is_full = true;
	assert_int_equal(stream_read(stream, &nr), -EIO);
	nr_read = 0;
	assert_int_equal(stream_read(stream, &nr), -EIO);
	assert_int_equal(stream_finish(stream, &no), -EIO);
	assert_int_equal(nr_read, 0);
	stream_free(stream);
}

static size_t longest_message;

int knl_symbol_add(struct knl *nl, uint64_t session, const void *data, size_t len)
{
	(void)nl, (void)session, (void)data;
	longest_message = len > longest_message ? len : longest_message;
	return 0;
}

static uint32_t reported;

int knl_func_each(struct knl *nl, uint64_t id, uint32_t flags, knl_func_fn fn, void *arg)
{
	struct knl_func func = { .func = reported, .error = -EINVAL };

	(void)nl, (void)id, (void)flags;
	fn(arg, &func);
	return 0;
}

/* --- tests ---------------------------------------------------------------------- */

static void see(void *arg, const struct event *event)
{
	(void)arg, (void)event;
}

/* Records of CPUs that nobody knows of would be lost without a word. */
static void test_streams_of_unknown_cpus(void **state)
{
	static const volatile int no;
	struct stream_sink sink = { .event = see };
	struct stream *stream;
	size_t nr_packets;

	(void)state;
	info_error = -ENOBUFS;
	stream = stream_create(NULL, 1, &sink);
	assert_int_equal(stream_read(stream, &nr_packets), -ENOBUFS);
	assert_int_equal(stream_finish(stream, &no), -ENOBUFS);
	assert_int_equal(stream_clock(stream), 0);
	stream_free(stream);
	info_error = 0;
	stream = stream_create(NULL, 1, &sink);
	nr_read = 0;
	assert_int_equal(stream_read(stream, &nr_packets), 0);
	assert_int_equal(nr_read, 2);
	stream_free(stream);
}

static void test_symbols_of_any_length(void **state)
{
	char longest[KTRACE_SYMBOL_LEN + 1], too_long[50000];
	struct kplan_func funcs[100] = { { .symbol = too_long } };
	struct kplan plan = { .funcs = funcs, .nr = 1 };
	size_t i;

	(void)state;
	memset(too_long, 'a', sizeof(too_long));
	too_long[sizeof(too_long) - 1] = 0;
	memset(longest, 'a', sizeof(longest));
	longest[KTRACE_SYMBOL_LEN] = 0;
	assert_int_equal(kplan_send(&plan, NULL, 1), -ENAMETOOLONG);
	assert_int_equal(longest_message, 0);
	for (i = 0; i < 100; i++)
		funcs[i].symbol = longest;
	plan.nr = 100;
	assert_int_equal(kplan_send(&plan, NULL, 1), 0);
	assert_in_range(longest_message, 1, 40000);
}

static void test_functions_that_are_not_planned(void **state)
{
	struct kplan_func funcs[1] = { { .symbol = (char *)"f" } };
	struct kplan plan = { .funcs = funcs, .nr = 1 };
	struct knl_session session;
	struct err err;

	(void)state;
	memset(&session, 0, sizeof(session));
	session.nr_failed = 1;
	reported = 1u << 30;
	assert_int_equal(kplan_check_probed(&plan, NULL, &session, &err), 0);
}

/* A program with many open files has its output where no select() could see it. */
static void test_witness_holds_no_file(void **state)
{
	struct rlimit limit;
	pid_t witness;
	int ends[2], high;
	char c;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	assert_int_equal(pipe(ends), 0);
	high = fcntl(ends[1], F_DUPFD, limit.rlim_cur > 3000 ? 2000 : (int)limit.rlim_cur - 1);
	assert_true(high > 0);
	witness = witness_start();
	assert_true(witness > 0);
	close(ends[1]);
	close(high);
	alarm(30);
	assert_int_equal(read(ends[0], &c, 1), 0);
	alarm(0);
	witness_end(witness);
	close(ends[0]);
}

/* --- files ----------------------------------------------------------------------- */

/* Numbers of files are compared with those of their own file systems. */
static void test_files_of_mappings(void **state)
{
	int own = open("/proc/self/exe", O_RDONLY), other = open("/bin/sh", O_RDONLY);
	const struct mapping *mapping;
	struct mapping elsewhere;
	struct maps maps;

	(void)state;
	assert_true(own >= 0 && other >= 0);
	maps_read(&maps, getpid());
	mapping = maps_find(&maps, (uintptr_t)test_files_of_mappings);
	assert_non_null(mapping);
	elsewhere = *mapping;
	elsewhere.dev++;
	assert_true(maps_is_of(mapping, own));
	assert_false(maps_is_of(mapping, other));
	assert_false(maps_is_of(mapping, -1));
	assert_false(maps_is_of(&elsewhere, own));
	assert_true(maps_has_memory(getpid()));
	assert_false(maps_has_memory(0x10000000));
	maps_free(&maps);
	close(own);
	close(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_streams_of_unknown_cpus),
		cmocka_unit_test(test_nothing_is_acknowledged_unwritten),
		cmocka_unit_test(test_symbols_of_any_length),
		cmocka_unit_test(test_functions_that_are_not_planned),
		cmocka_unit_test(test_witness_holds_no_file),
		cmocka_unit_test(test_files_of_mappings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
