// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include <json-c/json.h>

#include "report/json_write.h"
#include "report/layout.h"
#include "report/sched_table.h"
#include "report/table_read.h"
#include "util/fmt.h"
#include "util/mem.h"
#include "util/out.h"

#define PART(kind)	(1U << KTRACE_SCHED_##kind)
#define RUN		(PART(RUN) | PART(RUN_OUT))
#define ON_CPU		(RUN | PART(RUN_CUT))	/* a cut run adds time, but is no period */
#define WAIT		(PART(WAKEUP) | PART(PREEMPTED))
#define BLOCKED		(PART(SLEEP) | PART(DISK) | PART(STOPPED))

static const struct key_kind keys[] = {
	[SCHED_TID] = { "tid", key_by_number, KTRACE_KEY_TID },
	[SCHED_COMM] = { "comm", .compare = key_by_number },	/* number: by the time of the
								 * last period */
};

const char *sched_kind(uint32_t what)
{
	static const char *const names[KTRACE_NR_SCHED] = {
		"run", "run_out", "wakeup", "preempted", "sleep", "disk", "stopped",
		"run_cut"
	};

	return what < KTRACE_NR_SCHED ? names[what] : NULL;
}

/* --- reading -------------------------------------------------------------- */

const struct ktrace_table sched_by_thread = {
	.max_rows = 32768, .keys = { KTRACE_KEY_TID, KTRACE_KEY_PERIOD },
};

void sched_init(struct table *threads)
{
	table_init(threads, keys, SCHED_COMM + 1, KTRACE_NR_SCHED);
	threads->nr_telling = SCHED_TID + 1;
	threads->total.parts = mem_alloc(KTRACE_NR_SCHED * sizeof(*threads->total.parts));
}

struct row *sched_add(struct table *threads, uint32_t tid, const char *comm)
{
	struct row *row = table_add(threads);

	row->keys[SCHED_TID].number = tid;
	row->keys[SCHED_COMM].text = comm;
	row->keys[SCHED_COMM].is_none = !comm;
	return row;
}

/* Adds one of the rows of a thread. The row that counted last comes first and supplies the name. */
static struct row *add(void *arg, struct table *threads, const struct knl_row *row)
{
	struct row *added = table_add(threads);

	(void)arg;
	added->keys[SCHED_COMM] = key_read_task(threads, row);
	added->keys[SCHED_COMM].number = UINT64_MAX - knl_row_figure(row, KTRACE_FIGURE_LAST);
	return added;
}

/* A thread that was seen, but had no whole period, has no row. */
int sched_read(struct table *threads, struct knl *nl, const struct knl_session *session,
	       uint32_t read_flags)
{
	struct table_source all = {
		.to = threads, .part = KTRACE_KEY_PERIOD, .needs = FIG_CALLS, .is_total = true,
	}, by_thread = {
		.to = threads, .part = KTRACE_KEY_PERIOD, .needs = FIG_CALLS, .add = add,
	};

	sched_init(threads);
	return table_read(&all, &by_thread, nl, session->id, read_flags);
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

#define TIME(text, name, which, ...)							\
	LATENCY(text, name, FIG_TOTAL, which, __VA_ARGS__)
#define PERIODS(text, name, which, least, ...)						\
	{ text, .sort = (name), .figure = FIG_CALLS, .parts = (which), .width = (least),	\
	  __VA_ARGS__ }
#define LATENCY(text, name, what, which, ...)						\
	{ text, .sort = (name), .format = FORMAT_TIME, .figure = (what), .parts = (which),	\
	  .width = 8, __VA_ARGS__ }

static const struct column columns[] = {
	{ "TID", .sort = "tid", .format = FORMAT_KEY, .key = SCHED_TID, .width = 8,
	  .is_of_total = true },
	{ "COMM", .format = FORMAT_KEY, .key = SCHED_COMM, .width = 15, .is_left = true,
	  .none = "-" },
	TIME("ON CPU", "run", ON_CPU),
	TIME("RUNNABLE", "wait", WAIT),
	TIME("BLOCKED", "blocked", BLOCKED),
	PERIODS("VOLUNTARY", NULL, PART(RUN), 9, .drop = 2),
	PERIODS("PREEMPTED", NULL, PART(RUN_OUT), 9, .drop = 2),
	PERIODS(NULL, "switches", RUN, 0),
	LATENCY("WAIT AVG", "avg", FIG_AVG, WAIT),
	LATENCY("WAIT MAX", "max", FIG_MAX, WAIT),
	PERIODS("WAKE-UPS", NULL, PART(WAKEUP), 9, .drop = 3, .when = SCHED_WIDE),
	LATENCY("WAKE AVG", NULL, FIG_AVG, PART(WAKEUP), .drop = 3, .when = SCHED_WIDE),
	LATENCY("WAKE MAX", NULL, FIG_MAX, PART(WAKEUP), .drop = 3, .when = SCHED_WIDE),
	TIME("SLEEP", NULL, PART(SLEEP), .drop = 1, .when = SCHED_WIDE),
	TIME("DISK", NULL, PART(DISK), .drop = 1, .when = SCHED_WIDE),
	TIME("STOPPED", NULL, PART(STOPPED), .drop = 1, .when = SCHED_WIDE),
};

static const struct layout layout = {
	.tells_dropped = SCHED_WIDE,
	COLUMNS(columns), .begin = "", .gap = " ", .has_rule = true, .has_total = true,
};

void sched_sort(struct table *threads, const char *column)
{
	table_sort(threads, &layout, column);
}

void sched_print(FILE *out, const struct table *threads)
{
	if (row_figure(&threads->total, FIG_CALLS, ON_CPU | WAIT | BLOCKED))
		table_print(out, threads, &layout);
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

#define MEMBER(text, what, which)	{ text, .figure = (what), .parts = (which) }
#define KIND(text, which)								\
	MEMBER(text ".count", FIG_CALLS, which), MEMBER(text ".total_ns", FIG_TOTAL, which),	\
	MEMBER(text ".avg_ns", FIG_AVG, which), MEMBER(text ".max_ns", FIG_MAX, which)
#define FIGURES										\
	MEMBER("run_ns", FIG_TOTAL, ON_CPU),						\
	MEMBER("wait_ns", FIG_TOTAL, WAIT),						\
	MEMBER("blocked_ns", FIG_TOTAL, BLOCKED),					\
	MEMBER("voluntary", FIG_CALLS, PART(RUN)),					\
	MEMBER("involuntary", FIG_CALLS, PART(RUN_OUT)),				\
	MEMBER("wait_avg_ns", FIG_AVG, WAIT),						\
	MEMBER("wait_max_ns", FIG_MAX, WAIT),						\
	KIND("run", PART(RUN)), KIND("run_out", PART(RUN_OUT)),				\
	KIND("wakeup", PART(WAKEUP)), KIND("preempted", PART(PREEMPTED)),		\
	KIND("sleep", PART(SLEEP)), KIND("disk", PART(DISK)),				\
	KIND("stopped", PART(STOPPED)), KIND("run_cut", PART(RUN_CUT))
#define HIST(text, which)								\
	{ "histograms." text, .format = FORMAT_HIST, .parts = (which) }

static const struct column members[] = {
	{ "tid", .format = FORMAT_KEY, .key = SCHED_TID },
	{ "comm", .format = FORMAT_KEY, .key = SCHED_COMM },
	FIGURES,
};

static const struct column all_members[] = {
	FIGURES,
	HIST("run", PART(RUN)), HIST("run_out", PART(RUN_OUT)), HIST("wakeup", PART(WAKEUP)),
	HIST("preempted", PART(PREEMPTED)), HIST("sleep", PART(SLEEP)), HIST("disk", PART(DISK)),
	HIST("stopped", PART(STOPPED)), HIST("run_cut", PART(RUN_CUT)),
};

static const struct layout json = { COLUMNS(members) };
static const struct layout json_all = { COLUMNS(all_members) };

void sched_add_json(struct json_object *to, const struct table *threads)
{
	struct json_object *all = json_object_new_object();

	table_add_members(all, threads, &threads->total, &json_all);
	json_add(to, "rows", table_json(threads, &json));
	json_add(to, "all", all);
}
