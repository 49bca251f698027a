// SPDX-License-Identifier: GPL-2.0
/*
 * Metrics of a simulated module. Without arguments it tests; with some it prints or serves metrics
 * of a kind, for run.sh and by hand:
 *   test_metrics FOLDER                 tests, and writes metrics.txt, metrics.pb and metrics.otlp
 *   test_metrics serve ADDRESS ROWS     serves ROWS histograms of 50,000 log-normal durations
 *   test_metrics textfile FOLDER        writes a file for node_exporter
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <arpa/inet.h>

#include <cmocka.h>

#include "../../user/client/parts.h"
#include "../../user/session/sidecar.h"
#include "../../user/stream/http.h"
#include "../../user/stream/listen.h"
#include "../../user/stream/metrics.h"
#include "../../user/stream/metrics_otlp.h"
#include "../../user/stream/metrics_protobuf.h"
#include "../../user/stream/metrics_text.h"
#include "../../user/stream/otlp.h"
#include "../../user/stream/textfile.h"
#include "../../user/system/disks.h"
#include "../../user/system/inode_names.h"
#include "../../user/util/clock.h"
#include "../../user/util/mem.h"

#define US 1000ULL
#define MS (1000 * US)
#define S (1000 * MS)

/* --- the module ----------------------------------------------------------------- */

struct fake_row {
	uint64_t keys[KTRACE_TABLE_KEYS + 1];	/* a file has two words */
	const char *comm;
	uint64_t times[6];	/* ns, up to the first 0 */
	uint64_t errors, bytes, self, sum, entries;
	const char *name;
	bool is_other;
};

struct fake_table {
	uint32_t keys[KTRACE_TABLE_KEYS];
	uint32_t max_rows;	/* 0: the provider's own */
	bool is_count;
	uint64_t figures;	/* bits of enum ktrace_figure, besides CALLS and TOTAL */
	struct fake_row rows[8];
};

struct fake_session {
	struct ktr_session session;
	struct fake_table tables[2];
	int error;		/* result of reading the tables */
};

static const struct fake_session *fakes;
static size_t nr_fakes;
static uint64_t nr_more;	/* further rows of the first table, each with all of more */
static struct hist more;
static uint64_t more_sum;

int ktr_info_sized(struct ktr *ktr, struct ktr_info *info, size_t len)
{
	(void)ktr;
	memset(info, 0, len);
	strcpy(info->version, "1.2.3");
	return 0;
}

int ktr_session_list(struct ktr *ktr, struct ktr_session **sessions, size_t *nr)
{
	size_t i;

	(void)ktr;
	*sessions = mem_alloc((nr_fakes + 1) * sizeof(**sessions));
	for (i = 0; i < nr_fakes; i++) {
		(*sessions)[i] = fakes[i].session;
		(*sessions)[i].id = i + 1;
		if (!(*sessions)[i].start.realtime)
			(*sessions)[i].start.realtime = 1600000000000000000ULL + i;
		if (!fakes[i].session.state)
			(*sessions)[i].state = KTRACE_STATE_ACTIVE;
	}
	*nr = nr_fakes;
	return 0;
}

struct sent {
	struct ktr_table table;
	struct ktrace_column columns[32];
	uint32_t at[32];
	uint32_t words;
};

static void add_column(struct sent *sent, uint32_t id, uint8_t kind, const char *key)
{
	struct ktrace_column *column = &sent->columns[sent->table.nr_columns];

	*column = (struct ktrace_column){ .id = id, .kind = kind, .is_key = !!key };
	if (key)
		strncpy((char *)column->name, key, sizeof(column->name));
	sent->at[sent->table.nr_columns++] = sent->words;
	sent->words += ktr_column_words(column);
}

static void describe(struct sent *sent, const struct fake_table *fake)
{
	static const char *const names[__KTRACE_KEY_MAX] = {
		[KTRACE_KEY_FUNCTION] = "function", [KTRACE_KEY_SYSCALL] = "syscall",
		[KTRACE_KEY_TID] = "tid", [KTRACE_KEY_COMM] = "comm", [KTRACE_KEY_PERIOD] = "period",
		[KTRACE_KEY_DEVICE] = "device", [KTRACE_KEY_OPERATION] = "operation",
		[KTRACE_KEY_STAGE] = "stage", [KTRACE_KEY_QUEUE] = "queue",
		[KTRACE_KEY_FAULT] = "fault", [KTRACE_KEY_FILE] = "file",
	};
	uint64_t figures = fake->is_count ? 1ULL << KTRACE_FIGURE_ENTRIES :
			   fake->figures | 1ULL << KTRACE_FIGURE_CALLS | 1ULL << KTRACE_FIGURE_TOTAL;
	uint32_t i;

	memset(sent, 0, sizeof(*sent));
	sent->table.columns = sent->columns;
	sent->table.at = sent->at;
	sent->table.shape.max_rows = fake->max_rows;
	sent->table.shape.flags = fake->is_count ? 0 : KTRACE_TABLE_HISTOGRAM;
	for (i = 0; i < KTRACE_TABLE_KEYS && fake->keys[i]; i++)
		add_column(sent, fake->keys[i], fake->keys[i] == KTRACE_KEY_COMM ?
			   KTRACE_COLUMN_TEXT : fake->keys[i] == KTRACE_KEY_FILE ?
			   KTRACE_COLUMN_FILE : KTRACE_COLUMN_NUMBER, names[fake->keys[i]]);
	for (i = 0; i < __KTRACE_FIGURE_MAX; i++)
		if (figures >> i & 1)
			add_column(sent, i, KTRACE_COLUMN_SUM, NULL);
}

static void fill(uint64_t *cells, const struct sent *sent, const struct fake_row *row,
		 uint64_t calls, uint64_t total)
{
	const uint64_t figures[__KTRACE_FIGURE_MAX] = {
		[KTRACE_FIGURE_CALLS] = calls, [KTRACE_FIGURE_TOTAL] = total,
		[KTRACE_FIGURE_ERRORS] = row->errors, [KTRACE_FIGURE_BYTES] = row->bytes,
		[KTRACE_FIGURE_SELF] = row->self, [KTRACE_FIGURE_SUM] = row->sum,
		[KTRACE_FIGURE_ENTRIES] = row->entries,
	};
	size_t i, key = 0;

	for (i = 0; i < sent->table.nr_columns; i++) {
		const struct ktrace_column *column = &sent->columns[i];

		if (!column->is_key) {
			cells[sent->at[i]] = figures[column->id];
		} else if (column->kind == KTRACE_COLUMN_TEXT) {
			strncpy((char *)&cells[sent->at[i]], row->comm ? row->comm : "", 16);
		} else {
			cells[sent->at[i]] = row->keys[key++];
			if (column->kind == KTRACE_COLUMN_FILE)
				cells[sent->at[i] + 1] = row->keys[key++];
		}
	}
}

static void send_row(const struct sent *sent, const struct fake_row *row, const struct hist *hist,
		     uint64_t total, ktr_row_fn fn, void *arg)
{
	uint64_t cells[64] = { 0 }, calls = 0;
	struct ktr_row to = {
		.table = &sent->table, .name = row->name, .cells = cells, .is_other = row->is_other,
		.buckets = hist->buckets, .nr_buckets = hist->nr,
	};
	size_t i;

	for (i = 0; i < hist->nr; i++)
		calls += hist->buckets[i].count;
	fill(cells, sent, row, calls, total);
	fn(arg, &to);
}

static void send_fake(const struct sent *sent, const struct fake_row *row, ktr_row_fn fn, void *arg)
{
	struct hist hist = { NULL, 0 };
	uint64_t total = 0;
	int i;

	for (i = 0; i < 6 && row->times[i]; i++) {
		hist_add(&hist, row->times[i]);
		total += row->times[i];
	}
	send_row(sent, row, &hist, total, fn, arg);
	hist_free(&hist);
}

int ktr_row_each(struct ktr *ktr, uint64_t id, uint32_t flags, ktr_row_fn fn, void *arg)
{
	const struct fake_session *session = &fakes[id - 1];
	const struct fake_table *table;
	const struct fake_row *row;
	struct sent sent;
	uint64_t i;

	(void)ktr, (void)flags;
	for (table = session->tables; table < session->tables + 2 && table->keys[0]; table++) {
		describe(&sent, table);
		fn(arg, &(struct ktr_row){ .table = &sent.table, .is_head = true });
		for (row = table->rows; row < table->rows + 8; row++)
			if (row->times[0] || row->entries || row->errors || row->bytes)
				send_fake(&sent, row, fn, arg);
		for (i = 0; i < nr_more; i++)
			send_row(&sent, &(struct fake_row){ .keys = { 100 + i }, .sum = more_sum },
				 &more, more_sum, fn, arg);
	}
	return session->error;
}

int sidecar_read(const char *name, uint64_t cookie, uint32_t nr_funcs, struct names *names)
{
	static const char *const texts[] = { "main", "say(\"hi\\n\")\n", "caf\xe9 \xc3\xa9" };
	uint32_t i;

	(void)cookie;
	names->nr = nr_funcs;
	names->texts = mem_alloc((nr_funcs + 1) * sizeof(*names->texts));
	for (i = 0; *name && i < nr_funcs && i < 3; i++)
		names->texts[i] = mem_string(texts[i]);
	return *name;
}

int names_fill(struct names *names, struct ktr *ktr, uint64_t session, uint32_t flags)
{
	(void)names, (void)ktr, (void)session, (void)flags;
	return 0;
}

const char *disk_name(char text[DISK_NAME_LEN], uint32_t dev)
{
	snprintf(text, DISK_NAME_LEN, "sd%c", 'a' + (int)(dev >> 4 & 0xf));
	return text;
}

char *inode_names_ask(uint32_t dev, uint64_t inode)
{
	(void)dev;
	return inode == 7 ? mem_string("/srv/data.db") : NULL;
}

/* --- its sessions ------------------------------------------------------------------ */

#define BIT(figure) (1ULL << KTRACE_FIGURE_##figure)
#define SESSION(of, with, ...) .session = { .provider = KTRACE_PROVIDER_##of,		\
	.sinks = KTRACE_SINK_##with, .nr_funcs = 8, __VA_ARGS__ }

static const struct fake_session all_kinds[] = {
	{ SESSION(USER, HIST, .name = "web", .counters = { .hits = 40, .run_cnt = 3, .run_ns = 1200,
	  .lost_depth = 5 }), { {
		{ KTRACE_KEY_FUNCTION }, .figures = BIT(SELF) | BIT(SUM) | BIT(ENTRIES), .rows = {
			{ { 0 }, .times = { 3 * S + 1 }, .self = 1500 * MS, .sum = 3 * S + 1,
			  .entries = 1 },
			{ { 1 }, .times = { 1023, 1024, 1025, 999999, 17179869183, 17179869184 },
			  .self = 18446744073709551615ULL, .sum = 34360740415ULL, .entries = 7 },
			{ { 2 }, .times = { 1 }, .sum = 1, .self = 1, .entries = 1 },
			{ { 3 }, .entries = 4 },
		},
	} } },
	{ SESSION(KERNEL, COUNT, .name = "counts"), { {
		{ KTRACE_KEY_FUNCTION }, .is_count = true, .rows = {
			{ { 0 }, .entries = 18446744073709551615ULL },
		},
	} } },
	/* A process without a name for its sessions, which it has two of, and another one. */
	{ SESSION(KERNEL, HIST, .owner = 4711), { {
		{ KTRACE_KEY_FUNCTION }, .figures = BIT(ERRORS) | BIT(SUM) | BIT(ENTRIES), .rows = {
			{ { 1 }, .times = { 5 * US }, .errors = 1, .sum = 5 * US },
		},
	} } },
	{ SESSION(SYSCALLS, STREAM, .owner = 4711, .counters = { .produced = 10,
	  .acknowledged = 4, .held = 5, .dropped = 1, .dropped_full = 1 }), },
	{ SESSION(FAULT, HIST, .owner = 815), { {
		{ KTRACE_KEY_FAULT }, .figures = BIT(ERRORS), .rows = {
			{ { KTRACE_FAULT_MAJOR }, .times = { 80 * US, 95 * US } },
		},
	} } },
	{ SESSION(SYSCALLS, HIST, .name = "sys"), { {
		{ KTRACE_KEY_SYSCALL }, .figures = BIT(ERRORS) | BIT(SELF) | BIT(BYTES), .rows = {
			{ { 0 }, .times = { 700, 2 * MS }, .errors = 1, .bytes = 4096, .self = 900 },
			{ { 232 | KTRACE_SYSCALL_COMPAT }, .times = { 1 * S } },
		},
	} } },
	/* The rows of threads, which have no label, are added; so is the row of the others. */
	{ SESSION(SYSCALLS, TABLE, .name = "by-thread", .table = { .flags = KTRACE_TABLE_HISTOGRAM,
	  .keys = { KTRACE_KEY_TID, KTRACE_KEY_COMM } }), { {
		{ KTRACE_KEY_TID, KTRACE_KEY_COMM }, .max_rows = 100, .figures = BIT(ERRORS), .rows = {
			{ { 10 }, .comm = "redis", .times = { 2 * US, 3 * US }, .errors = 1 },
			{ { 11 }, .comm = "redis", .times = { 2 * US }, .errors = 1 },
			{ { 12 }, .comm = "sh", .times = { 5 * US } },
			{ { 0 }, .comm = "", .times = { 9 * US }, .is_other = true },
		},
	} } },
	/* Both tables have every period; only one of them is exposed. */
	{ SESSION(SCHED, HIST | KTRACE_SINK_TABLE, .name = "tasks",
	  .table = { .keys = { KTRACE_KEY_TID, KTRACE_KEY_PERIOD } }), { {
		{ KTRACE_KEY_PERIOD }, .rows = {
			{ { KTRACE_SCHED_SLEEP }, .times = { 50 * MS } },
		} }, {
		{ KTRACE_KEY_TID, KTRACE_KEY_PERIOD }, .max_rows = 100, .rows = {
			{ { 10, KTRACE_SCHED_SLEEP }, .times = { 50 * MS } },
		},
	} } },
	{ SESSION(BLOCK, HIST, .name = "disks"), { {
		{ KTRACE_KEY_DEVICE, KTRACE_KEY_OPERATION, KTRACE_KEY_STAGE },
		.figures = BIT(ERRORS) | BIT(BYTES), .rows = {
			{ { 8 << 20, KTRACE_BLOCK_WRITE, KTRACE_BLOCK_D2C }, .times = { 90 * US } },
			{ { 8 << 20, KTRACE_BLOCK_WRITE, KTRACE_BLOCK_Q2C }, .times = { 100 * US },
			  .errors = 1, .bytes = 8192 },
			{ { UINT64_MAX, KTRACE_BLOCK_READ, KTRACE_BLOCK_Q2C }, .times = { 1 * MS },
			  .bytes = 512 },
		},
	} } },
	{ SESSION(BLOCK, TABLE, .name = "files", .table = { .flags = KTRACE_TABLE_HISTOGRAM,
	  .keys = { KTRACE_KEY_FILE } }), { {
		{ KTRACE_KEY_FILE }, .max_rows = 100, .figures = BIT(ERRORS) | BIT(BYTES), .rows = {
			{ { 8 << 20, 7 }, .times = { 100 * US }, .bytes = 4096 },
			{ { 8 << 20, 8 }, .times = { 200 * US }, .bytes = 4096 },
		},
	} } },
	{ SESSION(VIRTIO, HIST, .name = "queues", .state = KTRACE_STATE_PAUSED), { {
		{ KTRACE_KEY_DEVICE, KTRACE_KEY_QUEUE, KTRACE_KEY_OPERATION },
		.figures = BIT(ENTRIES) | BIT(ERRORS) | BIT(BYTES), .rows = {
			{ { 3, 0, KTRACE_VIRTIO_ADD }, .entries = 3, .errors = 1, .name = "req.0" },
			{ { 3, 0, KTRACE_VIRTIO_OUT }, .entries = 2, .bytes = 48, .name = "req.0" },
			{ { 3, 0, KTRACE_VIRTIO_USED }, .entries = 2, .times = { 70 * US },
			  .bytes = 1, .name = "req.0" },
			{ { UINT64_MAX, UINT64_MAX, KTRACE_VIRTIO_USED }, .entries = 2,
			  .times = { 71 * US } },
		},
	} } },
	/* Times in cycles are not exposed. */
	{ SESSION(SYSENTER, HIST, .name = "cycles"), { {
		{ KTRACE_KEY_STAGE }, .rows = { { { 1 }, .times = { 1000 } } },
	} } },
	/* It has ended since the list was read. */
	{ SESSION(FAULT, HIST, .name = "gone"), { {
		{ KTRACE_KEY_FAULT }, .rows = { { { 1 }, .times = { 1000 } } },
	} }, .error = -ENOENT },
};

static void use(const struct fake_session *sessions, size_t nr)
{
	fakes = sessions;
	nr_fakes = nr;
}

#define USE(sessions) use(sessions, sizeof(sessions) / sizeof(*(sessions)))

/* Returns the text, or NULL with err set. */
static char *text_of(const struct metrics_options *options, struct err *err)
{
	struct metrics metrics;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!metrics_read(&metrics, NULL, options, err)) {
		metrics_text_print(out, &metrics);
		fclose(out);
	} else {
		fclose(out);
		free(text);
		text = NULL;
	}
	metrics_free(&metrics);
	return text;
}

static const struct metrics_options defaults;

static char *default_text(void)
{
	struct err err;
	char *text = text_of(&defaults, &err);

	assert_non_null(text);
	return text;
}

/* --- tests ------------------------------------------------------------------------- */

static const char *folder;

static void write_as(const char *name, void (*print)(FILE *out, const struct metrics *metrics))
{
	char *path = mem_format("%s/%s", folder, name);
	FILE *out = fopen(path, "w");
	struct metrics metrics;
	struct err err;

	assert_int_equal(metrics_read(&metrics, NULL, &defaults, &err), 0);
	print(out, &metrics);
	assert_int_equal(fclose(out), 0);
	metrics_free(&metrics);
	free(path);
}

#define NOW 1700000000000000000ULL	/* ns since 1970 */

static void print_otlp(FILE *out, const struct metrics *metrics)
{
	assert_int_equal(metrics_write_otlp(out, metrics, 0, NOW), metrics->nr);
}

/* run.sh compares them. */
static void test_all_kinds(void **state)
{
	(void)state;
	USE(all_kinds);
	write_as("metrics.txt", metrics_text_print);
	write_as("metrics.pb", metrics_protobuf_print);
	write_as("metrics.otlp", print_otlp);
}

static void test_what_is_wanted(void **state)
{
	(void)state;
	assert_true(metrics_protobuf_is_wanted("application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited,application/openmetrics-text;version=1.0.0;q=0.8,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"));
	assert_true(metrics_protobuf_is_wanted(METRICS_PROTOBUF_TYPE));
	assert_false(metrics_protobuf_is_wanted("application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5"));
	assert_false(metrics_protobuf_is_wanted("text/plain;version=0.0.4,application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.1"));
	assert_false(metrics_protobuf_is_wanted("application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=text"));
	assert_false(metrics_protobuf_is_wanted(""));
}

static uint64_t rest;

static double uniform(void)
{
	rest = rest * 6364136223846793005ULL + 1442695040888963407ULL;
	return ((rest >> 11) + 0.5) / (1ULL << 53);
}

/* A median of 200 us; one of a hundred durations is above 3.3 ms. */
static uint64_t duration(void)
{
	return 200000 * exp(1.2 * sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform()));
}

static void make_more(uint64_t *values, size_t nr)
{
	size_t i;

	hist_free(&more);
	more_sum = 0;
	rest = 1;
	for (i = 0; i < nr; i++) {
		values[i] = duration();
		hist_add(&more, values[i]);
		more_sum += values[i];
	}
}

static const struct fake_session one[] = {
	{ SESSION(KERNEL, HIST, .name = "one"), { { { KTRACE_KEY_FUNCTION }, .figures = BIT(SUM) } } },
};

/* Each count is that of the durations themselves, although the module keeps buckets only. */
static void test_counts_are_exact(void **state)
{
	static uint64_t values[50000];
	const char *at;
	char *text, *end;
	uint64_t bound;
	size_t i, nr, nr_bounds = 0;

	(void)state;
	make_more(values, 50000);
	/* the bounds themselves, and their neighbours */
	for (i = 0; i < 25; i++)
		for (nr = 0; nr < 3; nr++) {
			values[3 * i + nr] = family_bound(i) - 1 + nr;
			hist_add(&more, values[3 * i + nr]);
		}
	make_more(values + 75, 50000 - 75);
	for (i = 0; i < 75; i++)
		hist_add(&more, values[i]);
	nr_more = 1;
	USE(one);
	text = default_text();
	for (at = text; (at = strstr(at, "le=\"")); nr_bounds++) {
		bound = llround(strtod(at + 4, &end) * 1e9);
		at = end;
		if (strncmp(at - 3, "Inf", 3))
			assert_int_equal(bound, family_bound(nr_bounds));
		for (i = nr = 0; i < 50000; i++)
			nr += !strncmp(at - 3, "Inf", 3) || values[i] <= bound;
		assert_int_equal(strtoull(at + 3, NULL, 10), nr);
	}
	assert_int_equal(nr_bounds, 26);
	free(text);
	hist_free(&more);
	nr_more = 0;
}

/* With the label, the rows are those of threads; without, their sums. */
static void test_labels_that_are_allowed(void **state)
{
	const struct metrics_options options = {
		.allowed_labels = 1U << KTRACE_KEY_TID | 1U << KTRACE_KEY_FILE,
	};
	struct err err;
	char *text;

	(void)state;
	USE(all_kinds);
	text = text_of(&options, &err);
	assert_non_null(strstr(text, "ktrace_syscall_duration_seconds_count{session=\"by-thread\",tid=\"10\",comm=\"redis\"} 2\n"));
	assert_non_null(strstr(text, "ktrace_syscall_duration_seconds_count{session=\"by-thread\",tid=\"11\",comm=\"redis\"} 1\n"));
	assert_non_null(strstr(text, "ktrace_block_request_bytes_total{session=\"files\",file=\"/srv/data.db\"} 4096\n"));
	assert_non_null(strstr(text, "ktrace_block_request_bytes_total{session=\"files\",file=\"inode 8 of 8:0\"} 4096\n"));
	free(text);
	text = default_text();
	assert_non_null(strstr(text, "ktrace_syscall_duration_seconds_count{session=\"by-thread\",comm=\"redis\"} 3\n"));
	assert_non_null(strstr(text, "ktrace_syscall_errors_total{session=\"by-thread\",comm=\"redis\"} 2\n"));
	assert_non_null(strstr(text, "ktrace_block_request_bytes_total{session=\"files\"} 8192\n"));
	assert_null(strstr(text, "tid="));
	free(text);
}

/* Each series is in one request, and no request is too long. */
static void test_requests_of_otlp(void **state)
{
	struct metrics metrics;
	size_t at, nr = 0, len;
	struct err err;
	char *text;
	FILE *out;

	(void)state;
	nr_more = 20000;
	hist_add(&more, 5);
	USE(one);
	assert_int_equal(metrics_read(&metrics, NULL, &(struct metrics_options){
			 .max_series = UINT64_MAX }, &err), 0);
	for (at = 0; at < metrics.nr; nr++) {
		out = open_memstream(&text, &len);
		at = metrics_write_otlp(out, &metrics, at, NOW);
		fclose(out);
		free(text);
		assert_true(len < OTLP_REQUEST_LEN + 4096);
		assert_true(len > OTLP_REQUEST_LEN || at == metrics.nr);
	}
	assert_true(nr > 2);
	metrics_free(&metrics);
	hist_free(&more);
	nr_more = 0;
}

static void test_limit(void **state)
{
	struct metrics_options options = { .max_series = 100 };
	struct err err;
	char *text;

	(void)state;
	nr_more = 1000;
	hist_add(&more, 5);
	USE(one);
	assert_null(text_of(&options, &err));
	/* of the module 1, of the session 16, and 28 of each row */
	assert_string_equal(err.text, "There are 28017 series, more than the limit of 100; 28016 of them belong to session one: trace less there, attach with fewer keys or rows (--by), or raise the limit.");
	options.max_series = 28017;
	text = text_of(&options, &err);
	assert_non_null(text);
	free(text);
	options.max_series = 28016;
	assert_null(text_of(&options, &err));
	hist_free(&more);
	nr_more = 0;
}

static void test_read_that_fails(void **state)
{
	static struct fake_session locked[1];
	struct err err;

	(void)state;
	locked[0] = one[0];
	locked[0].error = -EACCES;
	USE(locked);
	assert_null(text_of(&defaults, &err));
	assert_string_equal(err.text, "The figures of session one cannot be read: the kernel is locked down, and the module respects that (respect_lockdown).");
}

static void test_textfile(void **state)
{
	char *path = mem_format("%s/ktrace.prom", folder);
	struct metrics metrics;
	struct stat status;
	struct err err;

	(void)state;
	USE(all_kinds);
	assert_int_equal(metrics_read(&metrics, NULL, &defaults, &err), 0);
	assert_int_equal(textfile_write(&textfile_node, folder, &metrics, &err), 0);
	assert_int_equal(textfile_write(&textfile_node, folder, &metrics, &err), 0);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0644);
	assert_int_equal(textfile_remove(&textfile_node, folder, &err), 0);
	assert_int_equal(textfile_remove(&textfile_node, folder, &err), 0);
	assert_int_equal(stat(path, &status), -1);
	assert_int_equal(textfile_write(&textfile_node, "/nowhere", &metrics, &err), -1);
	assert_string_equal(err.text, "The file /nowhere/ktrace.prom cannot be written: No such file or directory; the folder must be that of node_exporter's --collector.textfile.directory, and writable.");
	metrics_free(&metrics);
	free(path);
}

/* --- the server ------------------------------------------------------------------- */

static unsigned int nr_pages;

static const char *page(void *arg, bool is_protobuf, FILE *out, struct err *err)
{
	struct metrics metrics;
	const char *type = NULL;

	nr_pages++;
	if (!metrics_read(&metrics, NULL, arg, err)) {
		(is_protobuf ? metrics_protobuf_print : metrics_text_print)(out, &metrics);
		type = is_protobuf ? METRICS_PROTOBUF_TYPE : METRICS_TEXT_TYPE;
	}
	metrics_free(&metrics);
	return type;
}

static void step(struct http *http, int ms)
{
	struct pollfd fd = { .fd = http_fd(http), .events = POLLIN };
	int timeout = http_timeout(http);

	poll(&fd, 1, timeout >= 0 && timeout < ms ? timeout : ms);
	http_run(http);
}

/* Asks, and returns the whole answer, until the server closes the connection. */
static char *ask(struct http *http, uint16_t port, const char *request)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char *text = mem_alloc(1 << 20);
	size_t len = 0;
	ssize_t got;

	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	assert_int_equal(write(fd, request, strlen(request)), (ssize_t)strlen(request));
	while ((got = recv(fd, text + len, (1 << 20) - 1 - len, MSG_DONTWAIT)) != 0) {
		if (got > 0)
			len += got;
		else
			assert_int_equal(errno, EAGAIN);
		step(http, 10);
	}
	close(fd);
	return text;
}

static void assert_answer(struct http *http, uint16_t port, const char *first, const char *status,
			  const char *part)
{
	char *request = mem_format("%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", first);
	char *text = ask(http, port, request);

	assert_memory_equal(text, status, strlen(status));
	assert_non_null(strstr(text, part));
	free(text);
	free(request);
}

static uint16_t port_of(int fd)
{
	struct sockaddr_in at;
	socklen_t len = sizeof(at);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	assert_int_equal(at.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
	return ntohs(at.sin_port);
}

/* Passes a socket on as systemd does. The port is free, as the kernel has chosen it. */
static uint16_t pass_socket(void)
{
	char pid[16];
	struct err err;
	int fd = listen_open("0", &err);

	assert_true(fd >= 0);
	if (fd != 3) {
		assert_int_equal(dup2(fd, 3), 3);
		close(fd);
	}
	snprintf(pid, sizeof(pid), "%d", getpid());
	setenv("LISTEN_PID", pid, 1);
	setenv("LISTEN_FDS", "1", 1);
	return port_of(3);
}

/* All who ask within a second get the same answer. */
static void let_a_page_pass(struct http *http)
{
	uint64_t until = clock_now_ns() + 1100000000ULL;

	while (clock_now_ns() < until)
		step(http, 100);
}

static void test_server(void **state)
{
	struct metrics_options options = { .max_series = 10 };
	uint16_t port = pass_socket();
	struct http *http;
	struct err err;
	int error;

	(void)state;
	USE(all_kinds);
	error = http_open(&http, listen_open(NULL, &err), page, &options, &err);
	if (error && strstr(err.text, "without libmicrohttpd")) {
		unsetenv("LISTEN_FDS");
		close(3);
		skip();
	}
	assert_int_equal(error, 0);
	assert_null(getenv("LISTEN_FDS"));
	nr_pages = 0;
	assert_answer(http, port, "GET /metrics", "HTTP/1.1 503 ", "There are ");
	assert_answer(http, port, "GET /metrics", "HTTP/1.1 503 ", "There are ");
	assert_in_range(nr_pages, 1, 2);
	options.max_series = 0;
	let_a_page_pass(http);
	nr_pages = 0;
	assert_answer(http, port, "GET /metrics", "HTTP/1.1 200 ", "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n");
	assert_answer(http, port, "GET /metrics", "HTTP/1.1 200 ", "\nktrace_build_info{version=\"1.2.3\"} 1\n");
	assert_answer(http, port, "HEAD /metrics", "HTTP/1.1 200 ", "\r\n\r\n");
	/* A second may have passed. */
	assert_in_range(nr_pages, 1, 2);
	assert_answer(http, port, "GET /", "HTTP/1.1 404 ", "There is nothing here; metrics are at /metrics.\n");
	assert_answer(http, port, "POST /metrics", "HTTP/1.1 405 ", "\r\nAllow: GET, HEAD\r\n");
	http_close(http);
}

static void assert_refused(const char *address, const char *text)
{
	struct err err;

	assert_int_equal(listen_open(address, &err), -1);
	assert_non_null(strstr(err.text, text));
}

static void test_addresses(void **state)
{
	struct err err;
	int fd = listen_open("127.0.0.1:0", &err), other;
	char *taken = mem_format("%u", port_of(fd));

	(void)state;
	assert_refused(taken, "Address already in use; choose another address or port.");
	close(fd);
	other = listen_open(taken, &err);
	assert_true(other >= 0);
	close(other);
	free(taken);
	assert_refused(NULL, "No address to serve metrics on: ");
	assert_refused("localhost:1", "'localhost:1' is no address");
	assert_refused("127.0.0.1", "is no address");
	assert_refused("::1:80", "is no address");
	assert_refused("1.2.3.4:65536", "is no address");
	assert_refused("123456789012345678901234567890123456789012345678901234567890:1", "is no address");
	assert_refused("192.0.2.1:80", "Cannot assign requested address");
}

/* --- by hand ----------------------------------------------------------------------- */

static int serve(const char *address, uint64_t nr)
{
	struct metrics_options options = { .max_series = UINT64_MAX };
	static uint64_t values[50000];
	struct http *http;
	struct err err;

	USE(one);
	make_more(values, 50000);
	nr_more = nr;
	if (http_open(&http, listen_open(address, &err), page, &options, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	for (;;)
		step(http, 1000);
}

static int write_textfile(const char *to)
{
	struct metrics metrics;
	struct err err;
	int error;

	USE(all_kinds);
	error = metrics_read(&metrics, NULL, &defaults, &err) || textfile_write(&textfile_node, to, &metrics, &err);
	metrics_free(&metrics);
	if (error)
		fprintf(stderr, "%s\n", err.text);
	return error;
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),	/* needs descriptor 3 */
		cmocka_unit_test(test_all_kinds),
		cmocka_unit_test(test_what_is_wanted),
		cmocka_unit_test(test_counts_are_exact),
		cmocka_unit_test(test_labels_that_are_allowed),
		cmocka_unit_test(test_requests_of_otlp),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_read_that_fails),
		cmocka_unit_test(test_textfile),
		cmocka_unit_test(test_server),
	};

	if (argc == 4 && !strcmp(argv[1], "serve"))
		return serve(argv[2], strtoull(argv[3], NULL, 10));
	if (argc == 3 && !strcmp(argv[1], "textfile"))
		return write_textfile(argv[2]);
	folder = argv[argc - 1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
