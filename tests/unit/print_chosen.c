// SPDX-License-Identifier: GPL-2.0
/* Tables of --by as the module sends them; test_print.c checks what is printed of them. */
#include <string.h>

#include "../../include/uapi/ktrace_record.h"
#include "../../user/client/parts.h"
#include "../../user/report/chosen.h"
#include "../../user/report/format.h"
#include "print_chosen.h"

/* --- the module ----------------------------------------------------------------- */

/* Keys of a row are numbers or texts; a file is two numbers. Times are in ns. */
struct played_row {
	struct {
		uint64_t number;
		const char *text;
		uint64_t inode;
	} keys[KTRACE_TABLE_KEYS];
	const char *comm;
	uint64_t calls, total, min, max, errors, bytes, self, hits, misses;
	uint64_t entries, sum, at_most, at_most_time, at_most_self;
	bool is_other;
};

struct played {
	struct ktr_table table;
	struct ktrace_column columns[32];	/* of table */
	uint32_t at[32];
	const struct played_row *rows;
	size_t nr_rows;
	uint32_t words;		/* of keys in a row */
};

static struct played played;

static void add_column(uint32_t id, uint8_t kind, bool is_key)
{
	struct ktr_table *table = &played.table;
	struct ktrace_column *column = &played.columns[table->nr_columns];

	*column = (struct ktrace_column){ .id = id, .kind = kind, .is_key = is_key };
	played.at[table->nr_columns++] = played.words;
	played.words += ktr_column_words(column);
	table->columns = played.columns;
	table->at = played.at;
}

static uint8_t kind_of(uint32_t key)
{
	return key == KTRACE_KEY_COMM ? KTRACE_COLUMN_TEXT :
	       key == KTRACE_KEY_FILE ? KTRACE_COLUMN_FILE : KTRACE_COLUMN_NUMBER;
}

#define NEVER	(~0U)	/* no such figure */

static void put_cells(uint64_t *cells, const struct played_row *row)
{
	const uint64_t figures[] = {
		[KTRACE_FIGURE_CALLS] = row->calls, [KTRACE_FIGURE_TOTAL] = row->total,
		[KTRACE_FIGURE_MIN] = row->min, [KTRACE_FIGURE_MAX] = row->max,
		[KTRACE_FIGURE_ERRORS] = row->errors, [KTRACE_FIGURE_BYTES] = row->bytes,
		[KTRACE_FIGURE_SELF] = row->self, [KTRACE_FIGURE_PAGE_HITS] = row->hits,
		[KTRACE_FIGURE_PAGE_MISSES] = row->misses,
		[KTRACE_FIGURE_ENTRIES] = row->entries, [KTRACE_FIGURE_SUM] = row->sum,
		[KTRACE_FIGURE_AT_MOST] = row->at_most,
		[KTRACE_FIGURE_AT_MOST_TIME] = row->at_most_time,
		[KTRACE_FIGURE_AT_MOST_SELF] = row->at_most_self,
		[__KTRACE_FIGURE_MAX] = 0,
	};
	const struct ktrace_column *column = played.table.columns;
	const uint32_t *at = played.table.at;
	size_t i, key = 0;

	for (i = 0; i < played.table.nr_columns; i++, column++, at++) {
		if (column->kind == KTRACE_COLUMN_LATEST) {
			strncpy((char *)&cells[*at], row->comm ? row->comm : "", 16);
		} else if (!column->is_key) {
			cells[*at] = figures[column->id];
		} else {
			cells[*at] = row->keys[key].number;
			if (column->kind == KTRACE_COLUMN_TEXT)
				strncpy((char *)&cells[*at], row->keys[key].text, 16);
			else if (column->kind == KTRACE_COLUMN_FILE)
				cells[*at + 1] = row->keys[key].inode;
			key++;
		}
	}
}

int ktr_row_each(struct ktr *ktr, uint64_t id, uint32_t flags, ktr_row_fn fn, void *arg)
{
	const struct played_row *row;

	(void)ktr, (void)id, (void)flags;
	fn(arg, &(struct ktr_row){ .table = &played.table, .is_head = true });
	for (row = played.rows; row < played.rows + played.nr_rows; row++) {
		struct ktrace_bucket buckets[2] = {
			{ .index = hist_index(row->min),
			  .count = row->calls - row->at_most - row->calls / 50 },
			{ .index = hist_index(row->max), .count = row->calls / 50 },
		};
		uint64_t cells[64] = { 0 };
		struct ktr_row sent = { .table = &played.table, .is_other = row->is_other,
					.cells = cells, .buckets = buckets, .nr_buckets = buckets[1].count ? 2 : 1 };

		put_cells(cells, row);
		fn(arg, &sent);
	}
	return 0;
}

/* --- tables ---------------------------------------------------------------------- */

static const struct table_of {
	const char *title;
	uint32_t provider;
	uint32_t keys[KTRACE_TABLE_KEYS];
	uint32_t figures[12];		/* besides those of all tables; ends with NEVER */
	const char *sort;
	struct played_row rows[5];
	bool with_hists;
} tables[] = {
	{ .title = "one key", KTRACE_PROVIDER_SYSCALLS, { KTRACE_KEY_SYSCALL }, { KTRACE_FIGURE_ERRORS,
	  KTRACE_FIGURE_BYTES, NEVER }, "total", {
		{ .keys = { { 0 } }, .calls = 48211, .total = 1234567890, .min = 789,
		  .max = 45600000, .errors = 3, .bytes = 12897485 },
		{ .keys = { { 232 } }, .calls = 2, .total = 2000123456, .min = 1000000,
		  .max = 1999123456 },
	} },
	{ .title = "two keys, one a number of a task", KTRACE_PROVIDER_SYSCALLS,
	  { KTRACE_KEY_PID, KTRACE_KEY_SYSCALL }, { KTRACE_FIGURE_ERRORS, NEVER }, "calls", {
		{ .keys = { { 4711 }, { 0 } }, .comm = "redis-server", .calls = 100000,
		  .total = 900000000, .min = 700, .max = 1000000, .errors = 1 },
		{ .keys = { { 4194303 }, { 257 } }, .comm = "sh", .calls = 7, .total = 90000,
		  .min = 9000, .max = 30000, .errors = 7 },
		{ .keys = { { 12 }, { 202 | KTRACE_SYSCALL_COMPAT } }, .calls = 1, .total = 800,
		  .min = 800, .max = 800 },
	} },
	{ .title = "pages and their histograms", KTRACE_PROVIDER_SYSCALLS, { KTRACE_KEY_COMM },
	  { KTRACE_FIGURE_ERRORS, KTRACE_FIGURE_PAGE_HITS, KTRACE_FIGURE_PAGE_MISSES, NEVER },
	  "hits", {
		{ .keys = { { .text = "a-name-of-15-by" } }, .calls = 50, .total = 9000000,
		  .min = 90000, .max = 300000, .hits = 4096, .misses = 3 },
	}, true },
	{ .title = "names that are longer than the screen", KTRACE_PROVIDER_KERNEL,
	  { KTRACE_KEY_FUNCTION, KTRACE_KEY_TID }, { KTRACE_FIGURE_SELF, NEVER }, "total", {
		{ .keys = { { 4 }, { 4711 } }, .comm = "kworker/u16:3-e", .calls = 3,
		  .total = 1000000, .min = 900, .max = 500000, .self = 1 },
		{ .keys = { { 0 }, { 1 } }, .comm = "systemd", .calls = 2, .total = 999, .min = 1,
		  .max = 998, .self = 998 },
	} },
	{ .title = "files, which are paths", KTRACE_PROVIDER_BLOCK,
	  { KTRACE_KEY_FILE, KTRACE_KEY_OPERATION, KTRACE_KEY_COMM }, { KTRACE_FIGURE_BYTES, NEVER },
	  "requests", {
		{ .keys = { { 4095U << 20 | 7, .inode = 1ULL << 60 }, { 0 }, { .text = "dd" } },
		  .calls = 900, .total = 9000000000, .min = 9000000, .max = 20000000,
		  .bytes = 1ULL << 40 },
		{ .keys = { { 0 }, { 1 }, { .text = "jbd2/vda1-8" } }, .calls = 1,
		  .total = 900000, .min = 900000, .max = 900000, .bytes = 4096 },
	} },
	{ .title = "user functions: recursion, ends that were not seen, entries alone",
	  KTRACE_PROVIDER_USER, { KTRACE_KEY_FUNCTION, KTRACE_KEY_PID }, { KTRACE_FIGURE_SELF,
	  KTRACE_FIGURE_ENTRIES, KTRACE_FIGURE_SUM, KTRACE_FIGURE_AT_MOST, KTRACE_FIGURE_AT_MOST_TIME,
	  KTRACE_FIGURE_AT_MOST_SELF, NEVER }, "self", {
		{ .keys = { { 0 }, { 4711 } }, .comm = "demo", .entries = 3, .calls = 3, .total = 9000,
		  .sum = 12000, .min = 1000, .max = 9000, .self = 3000 },
		{ .keys = { { 0 }, { 4712 } }, .comm = "demo", .entries = 2, .calls = 2,
		  .at_most = 2, .at_most_time = 5000000, .at_most_self = 4000 },
		{ .keys = { { 4 }, { 4711 } }, .comm = "demo", .entries = 7 },
		{ .entries = 5, .calls = 4, .total = 99, .sum = 99, .min = 1, .max = 50, .is_other = true },
	}, true },
	{ .title = "others: a row without keys", KTRACE_PROVIDER_SCHED, { KTRACE_KEY_TID, KTRACE_KEY_PERIOD },
	  { NEVER }, "count", {
		{ .keys = { { 4711 }, { 0 } }, .comm = "redis-server", .calls = 3,
		  .total = 2500000, .min = 1000, .max = 1500000 },
		{ .calls = 12345, .total = 99999999, .min = 1, .max = 1000000, .is_other = true },
	} },
	{ .title = "others alone", KTRACE_PROVIDER_SYSCALLS, { KTRACE_KEY_CGROUP }, { NEVER }, "total", {
		{ .calls = 9, .total = 99, .min = 1, .max = 50, .is_other = true },
	} },
	{ .title = "nothing", KTRACE_PROVIDER_BLOCK, { KTRACE_KEY_DEVICE }, { NEVER }, "total", { { .calls = 0 } } },
	{ .title = "faults", KTRACE_PROVIDER_FAULT, { KTRACE_KEY_COMM, KTRACE_KEY_FAULT }, { NEVER },
	  "faults", {
		{ .keys = { { .text = "dd" }, { 0 } }, .calls = 300, .total = 900000, .min = 900,
		  .max = 90000 },
	} },
	{ .title = "no faults", KTRACE_PROVIDER_FAULT, { KTRACE_KEY_FAULT }, { NEVER }, "total",
	  { { .calls = 0 } } },
	{ .title = "four keys, none of them known", KTRACE_PROVIDER_SYSCALLS,
	  { KTRACE_KEY_ERRNO, KTRACE_KEY_UID, KTRACE_KEY_CGROUP, KTRACE_KEY_CPU },
	  { KTRACE_FIGURE_ERRORS, NEVER }, "errors", {
		{ .keys = { { 0 }, { UINT32_MAX }, { 0 }, { 3 } }, .calls = 5, .total = 500,
		  .min = 100, .max = 100 },
		{ .keys = { { 2 }, { 0 }, { 0 }, { 255 } }, .calls = 5, .total = 500, .min = 100,
		  .max = 100, .errors = 5 },
	} },
};

#define NR(array) (sizeof(array) / sizeof(*(array)))

static void play(const struct table_of *of)
{
	static const uint32_t always[] = {
		KTRACE_FIGURE_CALLS, KTRACE_FIGURE_TOTAL, KTRACE_FIGURE_MIN, KTRACE_FIGURE_MAX,
	};
	size_t i;

	memset(&played, 0, sizeof(played));
	played.table.shape.max_rows = 1;
	memcpy(played.table.shape.keys, of->keys, sizeof(of->keys));
	for (i = 0; i < KTRACE_TABLE_KEYS && of->keys[i]; i++)
		add_column(of->keys[i], kind_of(of->keys[i]), true);
	for (i = 0; i < NR(always); i++)
		add_column(always[i], KTRACE_COLUMN_SUM, false);
	for (i = 0; of->figures[i] != NEVER; i++)
		add_column(of->figures[i], KTRACE_COLUMN_SUM, false);
	add_column(KTRACE_FIGURE_COMM, KTRACE_COLUMN_LATEST, false);
	played.rows = of->rows;
	while (played.nr_rows < NR(of->rows) &&
	       (of->rows[played.nr_rows].calls || of->rows[played.nr_rows].entries))
		played.nr_rows++;
}

static void print_one(FILE *out, const struct table_of *of, const struct names *names, bool is_csv)
{
	struct ktr_session session = { .id = 1, .provider = of->provider };
	struct chosen chosen = { .names = names };

	fprintf(out, "--- %s\n", of->title);
	play(of);
	chosen_read(&chosen, NULL, &session, &played.table.shape, 0);
	chosen.table.duration_ns = 10003000000;
	table_sort(&chosen.table, of->sort);
	if (is_csv)
		format_csv.rows(out, &chosen.table, false, true);
	else
		chosen_print(out, &chosen);
	if (of->with_hists && !is_csv)
		chosen_print_hists(out, &chosen);
	chosen_free(&chosen);
}

void print_chosen_tables(FILE *out, const struct names *names, bool is_csv)
{
	size_t i;

	for (i = 0; i < NR(tables); i++)
		print_one(out, &tables[i], names, is_csv);
}
