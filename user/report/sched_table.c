// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "report/json.h"
#include "report/layout.h"
#include "report/sched_table.h"
#include "report/table_read.h"
#include "util/fmt.h"
#include "util/mem.h"
#include "util/out.h"

/* --- reading -------------------------------------------------------------- */

const struct ktrace_table sched_by_thread = {
	.max_rows = 32768, .keys = { KTRACE_KEY_TID, KTRACE_KEY_PERIOD },
};

void sched_init(struct table *threads)
{
	table_init(threads, &sched_threads);
	threads->total.parts = mem_alloc(KTRACE_NR_SCHED * sizeof(*threads->total.parts));
}

/* Rows of a thread are united: the row that counted last comes first and supplies the name. */
static struct row_key read_comm(struct table *threads, const struct ktr_row *row)
{
	struct row_key comm = key_read_task(threads, row);

	comm.number = UINT64_MAX - ktr_row_figure(row, KTRACE_FIGURE_LAST);
	return comm;
}

/* A thread that was seen, but had no whole period, has no row. */
int sched_read(struct table *threads, struct ktr *ktr, const struct ktr_session *session,
	       uint32_t read_flags)
{
	struct table_source all = { .to = threads, .is_total = true };
	struct table_source by_thread = { .to = threads };

	sched_init(threads);
	return table_read(&all, &by_thread, ktr, session->id, read_flags);
}

static int compare_tids(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return key_by_number(&x->keys[SCHED_TID], &y->keys[SCHED_TID]);
}

const char *sched_comm(const struct table *threads, uint32_t tid)
{
	struct row wanted = { .keys[SCHED_TID] = { .number = tid } }, *row;

	row = threads->nr ? bsearch(&wanted, threads->rows, threads->nr, sizeof(*row), compare_tids) :
	      NULL;
	return row ? row->keys[SCHED_COMM].text : NULL;
}

/* --- the table ------------------------------------------------------------ */

#define PART(kind)	(1U << KTRACE_SCHED_##kind)
#define RUN		(PART(RUN) | PART(RUN_OUT))
#define ON_CPU		(RUN | PART(RUN_CUT))	/* a cut run adds time, but is no period */
#define WAIT		(PART(WAKEUP) | PART(PREEMPTED))
#define BLOCKED		(PART(SLEEP) | PART(DISK) | PART(STOPPED))

static const struct key_kind keys[] = {
	[SCHED_TID] = { "tid", key_by_number, KTRACE_KEY_TID, .width = 8 },
	/* number: by the time of the last period */
	[SCHED_COMM] = { "comm", key_by_number, .width = 15, .read = read_comm, .is_left = true },
};

static const struct column columns[] = {
	{ .key = SCHED_TID, .is_of_total = true },
	{ .key = SCHED_COMM, .title = "COMM", .none = "-" },
	OF_PARTS(TOTAL, "ON CPU", ON_CPU, .sort = "run"),
	OF_PARTS(TOTAL, "RUNNABLE", WAIT, .sort = "wait"),
	OF_PARTS(TOTAL, "BLOCKED", BLOCKED, .sort = "blocked"),
	OF_PARTS(CALLS, "VOLUNTARY", PART(RUN), .drop = 2),
	OF_PARTS(CALLS, "PREEMPTED", PART(RUN_OUT), .drop = 2),
	OF_PARTS(CALLS, NULL, RUN, .sort = "switches", .is_hidden = true),
	OF_PARTS(AVG, "WAIT AVG", WAIT, .sort = "avg"),
	OF_PARTS(MAX, "WAIT MAX", WAIT, .sort = "max"),
	OF_PARTS(CALLS, "WAKE-UPS", PART(WAKEUP), .drop = 3, .when = SCHED_WIDE),
	OF_PARTS(AVG, "WAKE AVG", PART(WAKEUP), .drop = 3, .when = SCHED_WIDE),
	OF_PARTS(MAX, "WAKE MAX", PART(WAKEUP), .drop = 3, .when = SCHED_WIDE),
	OF_PARTS(TOTAL, "SLEEP", PART(SLEEP), .drop = 1, .when = SCHED_WIDE),
	OF_PARTS(TOTAL, "DISK", PART(DISK), .drop = 1, .when = SCHED_WIDE),
	OF_PARTS(TOTAL, "STOPPED", PART(STOPPED), .drop = 1, .when = SCHED_WIDE),
};

static const struct layout screen = {
	COLUMNS(columns), .is_upper = true, .has_rule = true, .has_total = true,
	.tells_dropped = SCHED_WIDE,
};

static const struct column period_members[] = {
	NAMED(CALLS, "count"), FIGURE(TOTAL), FIGURE(AVG), FIGURE(MAX),
};
static const struct column hist_members[] = { NAMED(HIST, "") };

static const struct layout period = { COLUMNS(period_members) };
static const struct layout hist_of_part = { COLUMNS(hist_members) };

#define MEMBERS										\
	OF_PARTS(TOTAL, "run_ns", ON_CPU), OF_PARTS(TOTAL, "wait_ns", WAIT),		\
	OF_PARTS(TOTAL, "blocked_ns", BLOCKED), OF_PARTS(CALLS, "voluntary", PART(RUN)),	\
	OF_PARTS(CALLS, "involuntary", PART(RUN_OUT)), OF_PARTS(AVG, "wait_avg_ns", WAIT),	\
	OF_PARTS(MAX, "wait_max_ns", WAIT), { .each = &period }

static const struct column members[] = { { .key = SCHED_TID }, { .key = SCHED_COMM }, MEMBERS };
static const struct column all_members[] = {
	MEMBERS, { .in = "histograms.", .each = &hist_of_part },
};

static const struct layout json = { COLUMNS(members) };
static const struct layout json_all = { COLUMNS(all_members) };

const struct table_kind sched_threads = {
	.keys = keys, .nr_keys = SCHED_COMM + 1, .nr_telling = SCHED_TID + 1,
	.parts = number_periods, .nr_parts = KTRACE_NR_SCHED, .part_key = KTRACE_KEY_PERIOD,
	.needs = FIG_CALLS, .screens = { &screen }, .json = &json,
	.json_total = &json_all,
};

void sched_print(FILE *out, const struct table *threads)
{
	if (row_figure(&threads->total, FIG_CALLS, ON_CPU | WAIT | BLOCKED))
		table_print(out, threads);
	else
		out_put(out, "No period was counted; a sleep counts when it ends.\n");
}

/* --- histograms ----------------------------------------------------------- */

/*
 * Histograms of several kinds together, each followed by its single kinds, if there is more than
 * one.
 */
static const struct {
	uint32_t kinds;
	const char *title;
} hists[] = {
	{ RUN, "On a CPU" },
	{ WAIT, "Runnable, waiting for a CPU" },
	{ PART(WAKEUP), "Runnable since a wake-up (wake-up latency)" },
	{ PART(PREEMPTED), "Runnable since a preemption" },
	{ BLOCKED, "Blocked" },
	{ PART(SLEEP), "Blocked in an interruptible sleep" },
	{ PART(DISK), "Blocked in an uninterruptible sleep (disk)" },
	{ PART(STOPPED), "Blocked because stopped or traced" },
};

static void print_hist(FILE *out, const struct row *all, uint32_t kinds, const char *title)
{
	char avg[FMT_LEN], p50[FMT_LEN], p99[FMT_LEN], max[FMT_LEN];
	struct hist hist = { NULL, 0 };
	uint32_t what;

	for (what = 0; what < KTRACE_NR_SCHED; what++)
		if (kinds & 1U << what)
			hist_merge(&hist, &all->parts[what].hist);
	out_put(out, "\n%s:\n%llu times, avg %s, p50 %s, p99 %s, max %s\n", title,
		(unsigned long long)row_figure(all, FIG_CALLS, kinds),
		fmt_plain(avg, row_figure(all, FIG_AVG, kinds)),
		fmt_plain(p50, row_figure(all, FIG_P50, kinds)),
		fmt_plain(p99, row_figure(all, FIG_P99, kinds)),
		fmt_plain(max, row_figure(all, FIG_MAX, kinds)));
	hist_print(out, &hist);
	hist_free(&hist);
}

void sched_print_hists(FILE *out, const struct table *threads)
{
	uint64_t calls, whole = 0;
	size_t i;

	for (i = 0; i < sizeof(hists) / sizeof(hists[0]); i++) {
		calls = row_figure(&threads->total, FIG_CALLS, hists[i].kinds);
		/* Skip a kind that has all periods of the group above it. */
		if (hists[i].kinds & (hists[i].kinds - 1))
			whole = calls;
		else if (calls == whole)
			continue;
		if (calls)
			print_hist(out, &threads->total, hists[i].kinds, hists[i].title);
	}
}

/* --- JSON ----------------------------------------------------------------- */

struct json_object *sched_document(const struct ktr_session *session, const struct table *threads,
				   const struct table *stacks)
{
	const struct json_table tables[] = { { "rows", threads }, { "stacks", stacks } };

	return tables_document(session, tables, 2);
}
