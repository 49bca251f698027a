// SPDX-License-Identifier: GPL-2.0
/* The command with a simulated module, which answers wrongly or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../include/uapi/ktrace_record.h"
#include "../../user/util/clock.h"
#include "../../user/report/chosen.h"
#include "../../user/report/functions.h"
#include "../../user/report/io_table.h"
#include "../../user/report/kplan_text.h"
#include "../../user/session/kplan.h"
#include "../../user/system/ksyms.h"
#include "../../user/system/maps.h"
#include "../../user/client/client.h"
#include "../../user/session/stream.h"
#include "../../user/report/syscalls.h"
#include "../../user/report/virtio.h"
#include "../../user/system/witness.h"
#include "stream_asked.h"

/* --- the module ----------------------------------------------------------------- */

static int info_error;
static uint32_t nr_read;

int ktr_info_sized(struct ktr *ktr, struct ktr_info *info, size_t len)
{
	(void)ktr;
	memset(info, 0, len);
	info->limits.nr_cpus = 2;
	return info_error;
}

int ktr_session_get_sized(struct ktr *ktr, uint64_t id, struct ktr_session *session, size_t len)
{
	(void)ktr, (void)id;
	memset(session, 0, len);
	session->sinks = KTRACE_SINK_STREAM;
	return 0;
}

uint64_t session_lost(const struct ktrace_counters *counters)
{
	(void)counters;
	return 0;
}

const char *session_state(uint32_t state)
{
	(void)state;
	return "";
}

/* A CPU's packets are numbered from 0; each has entries of these times, up to the first 0. */
static struct ring {
	uint64_t packets[4][4];
	size_t nr_packets;
	uint64_t clock;		/* reported by the next read */
	int error;		/* result of the next read */
	uint64_t acked;		/* packets before this one, in the last read */
} rings[2];

static void give_packet(struct ktr *ktr, uint32_t cpu, uint64_t number)
{
	struct {
		struct ktrace_packet head;
		struct ktrace_record records[4];
	} packet;
	const uint64_t *time;
	size_t len = sizeof(packet.head);

	memset(&packet, 0, sizeof(packet));
	packet.head.magic = KTRACE_CTF_MAGIC;
	packet.head.cpu_id = cpu;
	packet.head.packet_seq = number;
	for (time = rings[cpu].packets[number]; *time; time++) {
		packet.records[packet.head.nr_records].time = *time;
		packet.records[packet.head.nr_records++].id = KTRACE_REC_ENTRY;
		len += sizeof(*packet.records);
	}
	packet.head.content_bits = packet.head.packet_bits = 8 * len;
	ktr_answer_packet(ktr, 0, &packet, len);
}

/* One datagram: the counters, then one packet each. */
int ktr_receive(struct ktr *ktr)
{
	struct ring *ring = &rings[asked.cpu];
	static uint64_t number;

	if (asked.is_begun) {
		give_packet(ktr, asked.cpu, number++);
	} else {
		assert_true(asked.keep >= ring->acked && asked.keep <= asked.cursor);
		ring->acked = asked.keep;
		number = asked.cursor;
		nr_read++;
		ktr_answer_packet(ktr, ring->clock, NULL, 0);
		asked.is_begun = true;
	}
	ktr->is_over = number == ring->nr_packets;
	ktr->error = ktr->is_over ? ring->error : 0;
	return 0;
}

static bool is_full;

static bool flush_if_room(void *arg)
{
	(void)arg;
	return !is_full;
}

/* Times of events, in the order in which they came. */
static struct {
	uint64_t times[16];
	size_t nr;
} seen;

static void see_time(void *arg, const struct ktr_record *event)
{
	(void)arg;
	assert_true(seen.nr < 16);
	seen.times[seen.nr++] = event->time;
}

static const struct stream_sink sink_of_times = { .event = see_time, .flush = flush_if_room };

static int begin_times(void **state)
{
	(void)state;
	memset(rings, 0, sizeof(rings));
	rings[0].clock = rings[1].clock = UINT64_MAX;
	memset(&seen, 0, sizeof(seen));
	is_full = false;
	nr_read = 0;
	return 0;
}

static void add_packet(uint32_t cpu, uint64_t first, uint64_t second)
{
	uint64_t *times = rings[cpu].packets[rings[cpu].nr_packets++];

	times[0] = first;
	times[1] = second;
}

#define assert_seen(...) do {								\
	static const uint64_t wanted[] = { __VA_ARGS__ };				\
											\
	assert_int_equal(seen.nr, sizeof(wanted) / sizeof(wanted[0]));			\
	assert_memory_equal(seen.times, wanted, sizeof(wanted));			\
} while (0)

static void assert_acked(uint64_t first, uint64_t second)
{
	assert_int_equal(rings[0].acked, first);
	assert_int_equal(rings[1].acked, second);
}

/* One pass, in which the CPUs report these clocks. */
static size_t read_until(struct stream *stream, uint64_t first, uint64_t second)
{
	size_t nr;

	rings[0].clock = first;
	rings[1].clock = second;
	assert_int_equal(stream_read(stream, &nr), 0);
	return nr;
}

/* A packet waits in the module for its last event; CPU 0, which is idle, keeps no packet there. */
static void test_packets_that_are_held(void **state)
{
	struct stream *stream = stream_create(&asking, 1, &sink_of_times);

	(void)state;
	add_packet(0, 10, 20);
	add_packet(1, 12, 18);
	add_packet(1, 22, 40);
	assert_int_equal(read_until(stream, 30, 45), 3);
	assert_acked(0, 0);
	assert_seen(10, 12, 18, 20, 22);
	add_packet(1, 50, 0);
	assert_int_equal(read_until(stream, 48, 60), 1);
	assert_acked(1, 1);
	assert_seen(10, 12, 18, 20, 22, 40);
	assert_int_equal(read_until(stream, 70, 71), 0);
	assert_acked(1, 2);
	assert_seen(10, 12, 18, 20, 22, 40, 50);
	assert_int_equal(read_until(stream, 80, 81), 0);
	assert_acked(1, 3);
	assert_seen(10, 12, 18, 20, 22, 40, 50);
	stream_free(stream);
}

/* Another read would acknowledge events that are not written. */
static void test_nothing_is_acknowledged_unwritten(void **state)
{
	struct stream *stream = stream_create(&asking, 1, &sink_of_times);
	static const volatile int no;
	size_t nr;

	(void)state;
	add_packet(0, 10, 0);
	add_packet(1, 5, 20);
	read_until(stream, 15, 25);
	add_packet(1, 30, 0);
	is_full = true;
	rings[0].clock = rings[1].clock = 40;
	assert_int_equal(stream_read(stream, &nr), -EIO);
	assert_acked(1, 0);
	/* Also if there is room again, because a part is missing. */
	is_full = false;
	nr_read = 0;
	assert_int_equal(stream_read(stream, &nr), -EIO);
	assert_int_equal(stream_finish(stream, &no), -EIO);
	assert_int_equal(stream_acknowledge(stream), -EIO);
	assert_int_equal(nr_read, 0);
	stream_free(stream);
	/* The next reader gets everything that was not acknowledged. */
	seen.nr = 0;
	rings[0].clock = rings[1].clock = UINT64_MAX;
	stream = stream_create(&asking, 1, &sink_of_times);
	rings[0].acked = 0;
	assert_int_equal(stream_finish(stream, &no), 0);
	assert_seen(5, 10, 20, 30);
	stream_free(stream);
}

/* The other CPU's packet was not read up to the reported clock. */
static void test_read_that_failed(void **state)
{
	struct stream *stream = stream_create(&asking, 1, &sink_of_times);
	size_t nr;

	(void)state;
	add_packet(0, 20, 0);
	rings[0].clock = rings[1].clock = 30;
	rings[1].error = -ENOBUFS;
	assert_int_equal(stream_read(stream, &nr), -ENOBUFS);
	assert_int_equal(stream_clock(stream), 0);
	assert_int_equal(seen.nr, 0);
	rings[1].error = 0;
	add_packet(1, 10, 0);
	read_until(stream, 40, 40);
	assert_acked(0, 0);
	assert_seen(10, 20);
	stream_free(stream);
}

/* Nothing is acknowledged before the reader has confirmed all that was read. */
static void test_end_of_a_stream(void **state)
{
	struct stream *stream = stream_create(&asking, 1, &sink_of_times);
	static const volatile int no, yes = 1;

	(void)state;
	add_packet(0, 10, 30);
	add_packet(1, 20, 40);
	assert_int_equal(stream_finish(stream, &no), 0);
	assert_acked(0, 0);
	assert_seen(10, 20, 30, 40);
	assert_int_equal(stream_acknowledge(stream), 0);
	assert_acked(1, 1);
	/* An interrupted reader has got all that was read, and acknowledges it as well. */
	add_packet(1, 50, 0);
	rings[0].clock = 45;
	assert_int_equal(stream_finish(stream, &yes), -EINTR);
	assert_seen(10, 20, 30, 40, 50);
	assert_int_equal(stream_acknowledge(stream), 0);
	assert_acked(1, 2);
	stream_free(stream);
}

static void assert_next(struct ktr_stream *stream, uint32_t cpu, uint64_t number)
{
	struct ktr_packet packet;

	assert_int_equal(ktr_stream_next(stream, &packet), 1);
	assert_int_equal(packet.cpu, cpu);
	assert_int_equal(packet.number, number);
}

static void assert_end_of_pass(struct ktr_stream *stream)
{
	struct ktr_packet packet;

	assert_int_equal(ktr_stream_next(stream, &packet), 0);
}

static uint64_t clock_of(const struct ktr_stream *stream, unsigned int cpu)
{
	struct ktr_stream_cpu state;

	assert_int_equal(ktr_stream_cpu(stream, cpu, &state), 0);
	return state.clock;
}

/* A pass goes on after an acknowledgement: no CPU has to wait for the others to be idle. */
static void test_acknowledged_in_a_pass(void **state)
{
	struct ktr_stream *stream;

	(void)state;
	add_packet(0, 10, 0);
	add_packet(0, 11, 0);
	add_packet(1, 12, 0);
	rings[0].clock = rings[1].clock = 20;
	assert_int_equal(ktr_stream_open(&asking, 1, 0, &stream), 0);
	assert_next(stream, 0, 0);
	ktr_stream_ack(stream, 0, 1);
	assert_int_equal(ktr_stream_sync(stream), 0);
	assert_acked(1, 0);
	assert_int_equal(clock_of(stream, 0), 0);	/* packet 1 was not given yet */
	assert_next(stream, 1, 0);
	assert_end_of_pass(stream);
	assert_int_equal(clock_of(stream, 1), 20);
	assert_next(stream, 0, 1);
	ktr_stream_ack(stream, 0, 2);
	assert_end_of_pass(stream);
	assert_int_equal(clock_of(stream, 0), 20);
	assert_end_of_pass(stream);
	assert_acked(2, 0);
	ktr_stream_close(stream);
}

/* What was acknowledged does not come again; the rest does, in a new pass. */
static void test_read_again(void **state)
{
	struct ktr_stream *stream;

	(void)state;
	add_packet(0, 10, 0);
	add_packet(0, 11, 0);
	add_packet(1, 12, 0);
	rings[0].clock = rings[1].clock = 20;
	assert_int_equal(ktr_stream_open(&asking, 1, 0, &stream), 0);
	assert_next(stream, 0, 0);
	assert_next(stream, 0, 1);
	ktr_stream_ack(stream, 0, 1);
	assert_next(stream, 1, 0);
	assert_end_of_pass(stream);
	/* What is not acknowledged is not sent a second time. */
	assert_end_of_pass(stream);
	assert_acked(1, 0);
	assert_int_equal(asked.cursor, 1);
	assert_int_equal(ktr_stream_rewind(stream), 0);
	assert_int_equal(clock_of(stream, 0), 0);
	assert_next(stream, 0, 1);
	assert_next(stream, 1, 0);
	assert_end_of_pass(stream);
	ktr_stream_close(stream);
}

static size_t longest_message;

int ktr_symbol_add(struct ktr *ktr, uint64_t session, const void *data, size_t len)
{
	(void)ktr, (void)session, (void)data;
	longest_message = len > longest_message ? len : longest_message;
	return 0;
}

static uint32_t reported;

int ktr_node_each(struct ktr *ktr, uint64_t id, uint32_t flags, ktr_node_fn fn, void *arg)
{
	(void)ktr;
	(void)id;
	(void)flags;
	(void)fn;
	(void)arg;
	return 0;
}

int ktr_func_each(struct ktr *ktr, uint64_t id, uint32_t flags, ktr_func_fn fn, void *arg)
{
	struct ktr_func func = { .func = reported, .error = -EINVAL };

	(void)ktr, (void)id, (void)flags;
	fn(arg, &func);
	return 0;
}

/* --- tests ---------------------------------------------------------------------- */

static void see(void *arg, const struct ktr_record *event)
{
	(void)arg, (void)event;
}

/* If the number of CPUs is not known, records would be lost silently. */
static void test_streams_of_unknown_cpus(void **state)
{
	static const volatile int no;
	struct stream_sink sink = { .event = see };
	struct stream *stream;
	size_t nr_packets;

	(void)state;
	info_error = -ENOBUFS;
	stream = stream_create(&asking, 1, &sink);
	assert_int_equal(stream_read(stream, &nr_packets), -ENOBUFS);
	assert_int_equal(stream_finish(stream, &no), -ENOBUFS);
	assert_int_equal(stream_clock(stream), 0);
	stream_free(stream);
	info_error = 0;
	stream = stream_create(&asking, 1, &sink);
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
	struct ktr_session session;
	struct err err;

	(void)state;
	memset(&session, 0, sizeof(session));
	session.nr_failed = 1;
	reported = 1u << 30;
	assert_int_equal(kplan_check_probed(stderr, &plan, NULL, &session, &err), 0);
	/* the entry of system calls takes no probe: another function is named */
	reported = 0;
	funcs[0].symbol = (char *)"do_syscall_64";
	funcs[0].flags = KTRACE_FUNC_BELOW;
	plan.names = (struct names){ .texts = &funcs[0].symbol, .nr = 1 };
	assert_int_equal(kplan_check_probed(stderr, &plan, NULL, &session, &err), -1);
	assert_non_null(strstr(err.text, "name one that it calls, such as __x64_sys_read."));
}

/* --- functions of the kernel ------------------------------------------------------ */

/* Returns the duration in ns. */
static uint64_t add_functions(struct kplan *plan, const char *globs, uint8_t flags)
{
	struct match match = { 0 };
	uint64_t begin = clock_now_ns();
	struct err err;

	match_add(&match, globs);
	assert_int_equal(kplan_add(plan, &match, flags, &err), 0);
	match_free(&match);
	return clock_now_ns() - begin;
}

/* Patterns whose functions are all planned already take about as long as the first time. */
static void test_many_functions_twice(void **state)
{
	struct kplan plan = { .nr = 0 };
	uint64_t first, second;
	size_t i, nr;

	(void)state;
	add_functions(&plan, "ksys_read,ksys_write", KTRACE_FUNC_BELOW);
	assert_int_equal(plan.nr, 2);
	first = add_functions(&plan, "*", 0);
	nr = plan.nr;
	assert_true(nr > 10000);
	for (i = 2; i < nr; i++)
		assert_false(plan.funcs[i].flags || !strcmp(plan.funcs[i].symbol, "ksys_read") ||
			     !strcmp(plan.names.texts[i], plan.names.texts[i - 1]));
	second = add_functions(&plan, "*", 0);
	assert_int_equal(plan.nr, nr);
	assert_true(second < 8 * first);
	kplan_free(&plan);
}

/* --- rows of a table ---------------------------------------------------------- */

static const struct ktr_table calls_table = {
	.shape = { .max_rows = 1 },
	.columns = (const struct ktrace_column[]){
		{ .id = KTRACE_KEY_TID, .is_key = 1, .kind = KTRACE_COLUMN_NUMBER },
		{ .id = KTRACE_KEY_SYSCALL, .is_key = 1, .kind = KTRACE_COLUMN_NUMBER },
		{ .id = KTRACE_KEY_ERRNO, .is_key = 1, .kind = KTRACE_COLUMN_NUMBER },
		{ .id = KTRACE_FIGURE_CALLS, .kind = KTRACE_COLUMN_SUM },
		{ .id = KTRACE_FIGURE_ERRORS, .kind = KTRACE_COLUMN_SUM },
		{ .id = KTRACE_FIGURE_LAST, .kind = KTRACE_COLUMN_MOST },
		{ .id = KTRACE_FIGURE_COMM, .kind = KTRACE_COLUMN_LATEST },
	},
	.at = (const uint32_t[]){ 0, 1, 2, 3, 4, 5, 6 },
	.nr_columns = 7,
};

static const struct ktr_table requests_table = {
	.shape = { .max_rows = 1 },
	.columns = (const struct ktrace_column[]){
		{ .id = KTRACE_KEY_FILE, .is_key = 1, .kind = KTRACE_COLUMN_FILE },
		{ .id = KTRACE_KEY_DEVICE, .is_key = 1, .kind = KTRACE_COLUMN_NUMBER },
		{ .id = KTRACE_KEY_STAGE, .is_key = 1, .kind = KTRACE_COLUMN_NUMBER },
		{ .id = KTRACE_KEY_UID, .is_key = 1, .kind = KTRACE_COLUMN_NUMBER },
		{ .id = KTRACE_FIGURE_CALLS, .kind = KTRACE_COLUMN_SUM },
	},
	.at = (const uint32_t[]){ 0, 2, 3, 4, 5 },
	.nr_columns = 5,
};

static const struct ktr_table functions_table = {
	.columns = (const struct ktrace_column[]){
		{ .id = KTRACE_KEY_FUNCTION, .is_key = 1, .kind = KTRACE_COLUMN_NUMBER },
		{ .id = KTRACE_FIGURE_CALLS, .kind = KTRACE_COLUMN_SUM },
		{ .id = KTRACE_FIGURE_ENTRIES, .kind = KTRACE_COLUMN_SUM },
		{ .id = KTRACE_FIGURE_MIN, .kind = KTRACE_COLUMN_LEAST },
		{ .id = KTRACE_FIGURE_SINCE, .kind = KTRACE_COLUMN_MOST },
	},
	.at = (const uint32_t[]){ 0, 1, 2, 3, 4 },
	.nr_columns = 5,
};

static const struct ktr_table stages_table = {
	.columns = (const struct ktrace_column[]){
		{ .id = KTRACE_KEY_DEVICE, .is_key = 1, .kind = KTRACE_COLUMN_NUMBER },
		{ .id = KTRACE_KEY_OPERATION, .is_key = 1, .kind = KTRACE_COLUMN_NUMBER },
		{ .id = KTRACE_KEY_STAGE, .is_key = 1, .kind = KTRACE_COLUMN_NUMBER },
		{ .id = KTRACE_FIGURE_CALLS, .kind = KTRACE_COLUMN_SUM },
		{ .id = KTRACE_FIGURE_BYTES, .kind = KTRACE_COLUMN_SUM },
	},
	.at = (const uint32_t[]){ 0, 1, 2, 3, 4 },
	.nr_columns = 5,
};

static const struct ktr_table queues_table = {
	.columns = (const struct ktrace_column[]){
		{ .id = KTRACE_KEY_DEVICE, .is_key = 1, .kind = KTRACE_COLUMN_NUMBER },
		{ .id = KTRACE_KEY_QUEUE, .is_key = 1, .kind = KTRACE_COLUMN_NUMBER },
		{ .id = KTRACE_KEY_OPERATION, .is_key = 1, .kind = KTRACE_COLUMN_NUMBER },
		{ .id = KTRACE_FIGURE_ENTRIES, .kind = KTRACE_COLUMN_SUM },
		{ .id = KTRACE_FIGURE_ERRORS, .kind = KTRACE_COLUMN_SUM },
	},
	.at = (const uint32_t[]){ 0, 1, 2, 3, 4 },
	.nr_columns = 5,
};

static const struct ktr_table *played_table;

/*
 * tid, syscall, errno, calls, errors, last; and the name of the thread. For requests: a file (two
 * numbers), disk, stage, uid, requests.
 */
static const struct played_row {
	uint64_t cells[6];
	const char *comm, *name;
} *played_rows;
static size_t nr_played_rows;

int ktr_row_each(struct ktr *ktr, uint64_t id, uint32_t flags, ktr_row_fn fn, void *arg)
{
	uint64_t cells[8];
	struct ktr_row row;
	size_t i;

	(void)ktr, (void)id, (void)flags;
	for (i = 0; i < nr_played_rows; i++) {
		memset(&row, 0, sizeof(row));
		memset(cells, 0, sizeof(cells));
		memcpy(cells, played_rows[i].cells, sizeof(played_rows[i].cells));
		memcpy(&cells[6], played_rows[i].comm, strlen(played_rows[i].comm));
		row.cells = cells;
		row.table = played_table;
		row.name = played_rows[i].name;
		fn(arg, &row);
	}
	return 0;
}

static void play(const struct ktr_table *table, const struct played_row *rows, size_t nr)
{
	played_table = table;
	played_rows = rows;
	nr_played_rows = nr;
}

#define PLAY(table, rows) play(&(table), rows, sizeof(rows) / sizeof((rows)[0]))

/* Calls without an error are in no row of errors; calls without a row in the table are counted. */
static void test_errors_of_calls(void **state)
{
	static const struct played_row rows[] = {
		{ { 0, 1, 0, 3, 0, 50 }, "", NULL }, { { 0, 2, 2, 9, 9, 90 }, "", NULL },
		{ { 0, 1, 13, 1, 1, 70 }, "", NULL }, { { 0, 1, 2, 4, 4, 70 }, "", NULL },
		{ { 0, 2, 0, 3, 0, 60 }, "", NULL }, { { 0, 1, 1, 0, 0, 0 }, "", NULL },
	};
	struct ktr_session session = { .id = 1, .sinks = KTRACE_SINK_TABLE };
	struct syscalls syscalls;

	(void)state;
	PLAY(calls_table, rows);
	assert_int_equal(syscalls_read(&syscalls, NULL, &session, 0), 0);
	syscalls_sort(&syscalls, "total");
	assert_int_equal(syscalls.calls.nr, 0);
	assert_int_equal(syscalls.errors.nr, 3);
	assert_int_equal(row_figure(&syscalls.errors.rows[0], FIG_CALLS, 0), 9);
	assert_string_equal(syscalls.errors.rows[0].keys[SYSCALLS_ERRNO].text, "ENOENT");
	assert_int_equal(row_figure(&syscalls.errors.rows[2], FIG_CALLS, 0), 1);
	assert_string_equal(syscalls.errors.rows[2].keys[SYSCALLS_ERRNO].text, "EACCES");
	syscalls_free(&syscalls);
}

#define NO_DEV	(4095U << 20 | 7)

/* A key without a name is shown as a number, and an unknown one as neither. */
static void test_requests_by_keys(void **state)
{
	static const struct ktrace_table shape = {
		.keys = { KTRACE_KEY_FILE, KTRACE_KEY_DEVICE, KTRACE_KEY_STAGE, KTRACE_KEY_UID },
	};
	static const struct played_row rows[] = {
		{ { 0, 0, 0, KTRACE_BLOCK_Q2C, UINT32_MAX, 3 }, "", NULL },
		{ { NO_DEV, 1ULL << 40 | 5, NO_DEV, KTRACE_BLOCK_D2C, 0, 8 }, "", NULL },
		{ { NO_DEV, 4, NO_DEV, 77, 1000, 8 }, "", NULL },
	};
	struct ktr_session session = {
		.id = 1, .sinks = KTRACE_SINK_TABLE, .provider = KTRACE_PROVIDER_BLOCK,
	};
	struct chosen chosen = { .names = NULL };
	const struct row *row;

	(void)state;
	PLAY(requests_table, rows);
	assert_int_equal(chosen_read(&chosen, NULL, &session, &shape, 0), 0);
	table_sort(&chosen.table, "requests");
	assert_int_equal(chosen.table.nr, 3);
	row = chosen.table.rows;
	assert_string_equal(row[0].keys[0].text, "inode 1099511627781 of 4095:7");
	assert_null(row[0].keys[0].object);
	assert_string_equal(row[0].keys[1].text, "4095:7");
	assert_string_equal(row[0].keys[2].text, "d2c");
	assert_false(row[0].keys[3].is_none);
	assert_string_equal(row[1].keys[0].text, "inode 4 of 4095:7");
	assert_null(row[1].keys[2].text);
	assert_int_equal(row[1].keys[3].number, 1000);
	assert_true(row[2].keys[0].is_none && row[2].keys[3].is_none);
	assert_string_equal(row[2].keys[1].text, "(no disk)");
	assert_int_equal(row_figure(&row[2], FIG_CALLS, 0), 3);
	chosen_free(&chosen);
}

/* A probe's state and its counts are one row; a call that ended is not open. */
static void test_functions_and_failures(void **state)
{
	static const struct played_row rows[] = {
		{ { 2, 3, 5, 7, 70 }, "", NULL }, { { 0, 4, 4, 6, 60 }, "", NULL },
		{ { 1, 0, 1, UINT64_MAX, 50 }, "", NULL },
	};
	static char *texts[] = { "c", "b", "a", "d" };
	static const struct names names = { .texts = texts, .nr = 4 };
	struct table functions;
	int i;

	(void)state;
	PLAY(functions_table, rows);
	for (reported = 1; reported <= 3; reported += 2) {
		assert_int_equal(functions_read(&functions, NULL, 1, 0, &names), 0);
		assert_int_equal(functions.nr, reported == 3 ? 4 : 3);
		for (i = 0; i < 3; i++) {
			const struct row *row = &functions.rows[i];

			assert_int_equal(row->keys->number, 2 - i);
			assert_int_equal(row_figure(row, FIG_ENTRIES, 0), i == 2 ? 4 : i ? 1 : 5);
			assert_int_equal(row_figure(row, FIG_SINCE, 0), i == 2 ? 0 : i ? 50 : 70);
			assert_int_equal(row_figure(row, FIG_FAILURE, 0),
					 reported == 1 && i == 1 ? EINVAL : 0);
		}
		assert_int_equal(row_figure(&functions.rows[1], FIG_MIN, 0), 0);
		assert_string_equal(functions.rows[functions.nr - 1].keys->text,
				    reported == 3 ? "d" : "c");
		table_free(&functions);
	}
}

/*
 * Stages of one operation on one disk are one row; all disks beyond the module's limit share rows.
 */
static void test_stages_of_requests(void **state)
{
	static const struct played_row rows[] = {
		{ { NO_DEV, 1, KTRACE_BLOCK_D2C, 3, 0 }, "", NULL },
		{ { NO_DEV, 0, KTRACE_BLOCK_Q2C, 2, 512 }, "", NULL },
		{ { UINT64_MAX, 1, KTRACE_BLOCK_Q2C, 9, 1024 }, "", NULL },
		{ { NO_DEV, 1, KTRACE_BLOCK_Q2C, 4, 4096 }, "", NULL },
		{ { NO_DEV, 1, KTRACE_BLOCK_Q2C + 1, 4, 4096 }, "", NULL },
		{ { NO_DEV, 2, KTRACE_BLOCK_Q2C, 0, 0 }, "", NULL },
	};
	struct table requests;
	const struct row *row;

	(void)state;
	PLAY(stages_table, rows);
	assert_int_equal(io_read(&requests, NULL, 1, 0), 0);
	row = requests.rows;
	assert_int_equal(requests.nr, 3);
	assert_string_equal(row[0].keys[IO_NAME].text, "(others)");
	assert_true(row[0].keys[IO_DEV].is_none);
	assert_int_equal(row_figure(&row[0], FIG_BYTES, 1U << KTRACE_BLOCK_Q2C), 1024);
	assert_string_equal(row[1].keys[IO_DEV].text, "4095:7");
	assert_string_equal(row[1].keys[IO_OP].text, "read");
	assert_string_equal(row[2].keys[IO_OP].text, "write");
	assert_int_equal(row_figure(&row[2], FIG_CALLS, 1U << KTRACE_BLOCK_D2C), 3);
	assert_int_equal(row_figure(&row[2], FIG_CALLS, 1U << KTRACE_BLOCK_Q2C), 4);
	table_free(&requests);
}

static void test_queues(void **state)
{
	static const struct played_row rows[] = {
		{ { 12, 1, KTRACE_VIRTIO_KICK, 2, 0 }, "", "output.0" },
		{ { UINT64_MAX, UINT64_MAX, KTRACE_VIRTIO_ADD, 3, 1 }, "", NULL },
		{ { 0, 3, KTRACE_VIRTIO_ADD, 7, 2 }, "", "req.3" },
		{ { 12, 1, KTRACE_VIRTIO_ADD, 5, 0 }, "", "output.0" },
	};
	struct virtio_dev disk = { 0, "virtio_blk", "vda", "0000:00:03.0" };
	struct virtio_devs devs = { &disk, 1 };
	struct table queues;
	const struct row *row;

	(void)state;
	PLAY(queues_table, rows);
	assert_int_equal(virtio_read(&queues, NULL, 1, 0, &devs), 0);
	row = queues.rows;
	assert_int_equal(queues.nr, 3);
	assert_string_equal(row[0].keys[VIRTIO_QUEUE].text, "3 req.3");
	assert_string_equal(row[0].keys[VIRTIO_IS].text, "vda");
	assert_int_equal(row_figure(&row[0], FIG_CALLS, 1U << KTRACE_VIRTIO_ADD), 5);
	assert_string_equal(row[1].keys[VIRTIO_DEVICE].text, "virtio12");
	assert_true(row[1].keys[VIRTIO_DRIVER].is_none);
	assert_int_equal(row_figure(&row[1], FIG_ENTRIES, 1U << KTRACE_VIRTIO_KICK), 2);
	assert_int_equal(row_figure(&row[1], FIG_CALLS, 1U << KTRACE_VIRTIO_ADD), 5);
	assert_true(row[2].keys[VIRTIO_DEVICE].is_none);
	table_free(&queues);
}

/* A program with many open files has its output at a descriptor beyond the range of select(). */
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

static void test_addresses_of_mappings(void **state)
{
	struct mapping all[5];
	struct maps maps = { .all = all, .nr = 5 };
	uint64_t addr;
	size_t i;

	(void)state;
	memset(all, 0, sizeof(all));
	for (i = 0; i < 5; i++) {
		all[i].start = 10 * i + 10;
		all[i].end = all[i].start + (i == 2 ? 10 : 5);
	}
	for (maps.nr = 0; maps.nr <= 5; maps.nr++)
		for (addr = 0; addr < 70; addr++) {
			for (i = 0; i < maps.nr; i++)
				if (addr >= all[i].start && addr < all[i].end)
					break;
			assert_ptr_equal(maps_find(&maps, addr), i < maps.nr ? &all[i] : NULL);
		}
}

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

/* --- symbols of the kernel ------------------------------------------------------ */

static int read_symbols(struct ksyms *ksyms, const char *lines, const struct match *match,
			struct err *err)
{
	int fd = memfd_create("kallsyms", MFD_CLOEXEC), error;
	char path[32];

	assert_int_equal(write(fd, lines, strlen(lines)), strlen(lines));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	error = ksyms_read(ksyms, path, match, err);
	close(fd);
	return error;
}

/* Without _stext, or with a wrong _etext, no function may be left. */
static void test_no_symbols_in_the_kernels_text(void **state)
{
	struct match match = { 0 };
	struct ksyms ksyms;
	struct err err;
	size_t i;

	(void)state;
	match_add(&match, "behind");
	for (i = 0; i < 2; i++) {
		assert_int_equal(read_symbols(&ksyms, "ffffffff81000000 T _etext\n"
					      "ffffffff81000010 T behind\n"
					      "ffffffff81000020 T far_behind\n",
					      i ? &match : NULL, &err), -1);
		assert_non_null(strstr(err.text, "no functions between _stext and _etext"));
		ksyms_free(&ksyms);
	}
	match_free(&match);
}

/* A pattern may match the name, or the module and the name. What is not kept has a start, too. */
static void test_wanted_symbols(void **state)
{
	static const char lines[] =
		"ffffffff81000000 T _stext\n"
		"ffffffff81000010 t twice\n"
		"ffffffff81000020 t other\n"
		"ffffffff81000030 t twice\n"
		"ffffffff81000040 D data\n"
		"ffffffff81000050 T _etext\n"
		"ffffffff81000060 t stranger\n"
		"ffffffffc0000020 t one\t[first]\n"
		"ffffffffc0000010 t two\t[first]\n"
		"ffffffffc0000030 t one\t[second]\n";
	static const char *const names[] = { "one second", "twice ", "twice ", "two first" };
	struct match match = { 0 };
	struct ksyms ksyms;
	struct err err;
	char name[32];
	size_t i;

	(void)state;
	match_add(&match, "twice,two,second:*,stranger,data");
	assert_int_equal(read_symbols(&ksyms, lines, &match, &err), 0);
	assert_int_equal(ksyms.nr, 4);
	for (i = 0; i < ksyms.nr; i++) {
		snprintf(name, sizeof(name), "%s %s", ksyms.syms[i].name,
			 ksyms.syms[i].module ? ksyms.syms[i].module : "");
		assert_string_equal(name, names[i]);
	}
	assert_int_equal(ksyms_start(&ksyms, NULL), 0xffffffff81000000);
	assert_int_equal(ksyms_start(&ksyms, "first"), 0xffffffffc0000010);
	assert_string_equal(match_unused(&match), "twice");
	ksyms_free(&ksyms);
	match_free(&match);
	match_add(&match, "stranger");
	assert_int_equal(read_symbols(&ksyms, lines, &match, &err), 0);
	assert_int_equal(ksyms.nr, 0);
	ksyms_free(&ksyms);
	match_free(&match);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_streams_of_unknown_cpus, begin_times),
		cmocka_unit_test_setup(test_packets_that_are_held, begin_times),
		cmocka_unit_test_setup(test_nothing_is_acknowledged_unwritten, begin_times),
		cmocka_unit_test_setup(test_read_that_failed, begin_times),
		cmocka_unit_test_setup(test_end_of_a_stream, begin_times),
		cmocka_unit_test_setup(test_acknowledged_in_a_pass, begin_times),
		cmocka_unit_test_setup(test_read_again, begin_times),
		cmocka_unit_test(test_symbols_of_any_length),
		cmocka_unit_test(test_functions_that_are_not_planned),
		cmocka_unit_test(test_many_functions_twice),
		cmocka_unit_test(test_errors_of_calls),
		cmocka_unit_test(test_requests_by_keys),
		cmocka_unit_test(test_functions_and_failures),
		cmocka_unit_test(test_stages_of_requests),
		cmocka_unit_test(test_queues),
		cmocka_unit_test(test_witness_holds_no_file),
		cmocka_unit_test(test_addresses_of_mappings),
		cmocka_unit_test(test_files_of_mappings),
		cmocka_unit_test(test_no_symbols_in_the_kernels_text),
		cmocka_unit_test(test_wanted_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
