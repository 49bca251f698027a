// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "report/io_table.h"
#include "report/layout.h"
#include "util/out.h"

#define Q2G	(1U << KTRACE_BLOCK_Q2G)
#define G2I	(1U << KTRACE_BLOCK_G2I)
#define I2D	(1U << KTRACE_BLOCK_I2D)
#define D2C	(1U << KTRACE_BLOCK_D2C)
#define Q2C	(1U << KTRACE_BLOCK_Q2C)

/* Flags of the table: what its rows are. */
#define BY(what)	(1U << IO_BY_##what)
#define BY_TASK		(BY(COMM) | BY(PID) | BY(TID))
#define BY_NUMBER	(BY(FILE) | BY(CGROUP))
#define BY_TREE		(BY_TASK | BY_NUMBER)

static const struct key_kind keys[] = {
	[IO_NAME] = { "name", key_by_text },
	[IO_DEV] = { "dev", key_by_number },
	[IO_ID] = { "id", key_by_number },
	[IO_TASK] = { "task", key_by_number },
	[IO_OP] = { "operation", key_by_number },
};

static const char *const bys[IO_NR_BYS] = {
	"", "dev", "op", "stage", "comm", "pid", "tid", "file", "cgroup"
};

static const char *const stages[IO_NR_STAGES] = { "q2g", "g2i", "i2d", "d2c", "q2c" };

const char *io_op_name(uint32_t op)
{
	static const char *const ops[] = {
		"read", "write", "flush", "discard", "zeroes", "passthrough", "other",
	};

	return op < sizeof(ops) / sizeof(ops[0]) ? ops[op] : "other";
}

const char *io_stage_name(uint32_t stage)
{
	return stages[stage];
}

int io_stage_find(const char *name)
{
	int stage;

	for (stage = 0; stage < IO_NR_STAGES; stage++)
		if (!strcmp(stages[stage], name))
			return stage;
	return -1;
}

enum io_by io_by_find(const char *name)
{
	int by;

	for (by = IO_BY_DEV; name && by < IO_NR_BYS; by++)
		if (!strcmp(bys[by], name))
			return by;
	return IO_BY_NONE;
}

const char *io_by_name(enum io_by by)
{
	return bys[by];
}

bool io_is_of_tree(enum io_by by)
{
	return by >= IO_BY_COMM;
}

/* --- rows ------------------------------------------------------------------- */

void io_init(struct table *requests, enum io_by by)
{
	table_init(requests, keys, IO_OP + 1, IO_NR_STAGES);
	requests->flags = 1U << by;
}

struct row *io_add(struct table *requests, const char *name, uint32_t op)
{
	struct row *row = table_add(requests);

	row->keys[IO_NAME].text = name;
	row->keys[IO_DEV].is_none = true;
	row->keys[IO_OP].number = op;
	row->keys[IO_OP].text = io_op_name(op);
	return row;
}

/* --- tables ----------------------------------------------------------------- */

/* Names longer than others would move what is behind them in one line only. */
#define NAME(text, ...)									\
	{ text, .format = FORMAT_KEY, .key = IO_NAME, .width = 7, .is_left = true,	\
	  .is_grown = true, .is_cut = true, __VA_ARGS__ }
/* Names of files and cgroups may be long: they are behind the figures. */
#define LAST_NAME(text, flag)								\
	{ text, .format = FORMAT_KEY, .key = IO_NAME, .is_left = true, .is_cut = true,	\
	  .when = (flag) }
#define FIRST_COLUMNS									\
	NAME("disk", .unless = BY_TREE),						\
	NAME("comm", .when = BY(COMM)),							\
	NAME("pid", .when = BY(PID)),							\
	NAME("tid", .when = BY(TID)),							\
	{ "op", .format = FORMAT_KEY, .key = IO_OP, .width = 5, .is_left = true, .is_grown = true }
#define LAST_COLUMNS LAST_NAME("file", BY(FILE)), LAST_NAME("cgroup", BY(CGROUP))
#define EACH(text, as, what, by, least, ...)						\
	{ text, .format = (as), .figure = (what), .parts = Q2C, .per = (by),		\
	  .per_parts = Q2C, .width = (least), __VA_ARGS__ }

static const struct column load_columns[] = {
	FIRST_COLUMNS,
	{ "requests", .figure = FIG_CALLS, .parts = Q2C, .width = 9 },
	EACH("/s", FORMAT_RATE, FIG_CALLS, FIG_SECONDS, 8),
	EACH("bytes", FORMAT_BYTES, FIG_BYTES, FIG_NONE, 9),
	EACH("bytes/s", FORMAT_BYTES, FIG_BYTES, FIG_SECONDS, 9),
	EACH("each", FORMAT_BYTES, FIG_BYTES, FIG_CALLS, 9),
	{ "errors", .figure = FIG_ERRORS, .parts = Q2C, .width = 8, .needs = FIG_ERRORS,
	  .needs_parts = Q2C, .unless = BY_TREE },
	LAST_COLUMNS,
};

#define TIME(text, what, which, ...)							\
	{ text, .format = FORMAT_TIME, .figure = (what), .parts = (which), .width = 7,	\
	  .unless = BY_TREE, __VA_ARGS__ }
/* The mean, and the share of the whole request. */
#define STAGE(text, which)								\
	{ text, .format = FORMAT_TIME, .figure = FIG_TOTAL, .parts = (which), .per = FIG_CALLS,	\
	  .per_parts = Q2C, .width = 7 },						\
	{ "", .format = FORMAT_PERCENT, .figure = FIG_TOTAL, .parts = (which),		\
	  .per = FIG_TOTAL, .per_parts = Q2C, .unit = "%", .width = 4, .drop = 2 }

static const struct column time_columns[] = {
	FIRST_COLUMNS,
	STAGE("Q2G", Q2G),
	STAGE("G2I", G2I),
	STAGE("I2D", I2D),
	STAGE("D2C", D2C),
	EACH("Q2C", FORMAT_TIME, FIG_TOTAL, FIG_CALLS, 7),
	TIME("Q2C p50", FIG_P50, Q2C, .drop = 1),
	TIME("Q2C p99", FIG_P99, Q2C, .drop = 1),
	TIME("Q2C max", FIG_MAX, Q2C, .drop = 1),
	TIME("D2C p50", FIG_P50, D2C, .drop = 3),
	TIME("D2C p99", FIG_P99, D2C, .drop = 3),
	TIME("D2C max", FIG_MAX, D2C, .drop = 3),
	LAST_COLUMNS,
	{ NULL, .sort = "time", .figure = FIG_TOTAL, .parts = Q2C },
};

/* A line a stage of one row; its total is the whole request. */
static const struct column stage_columns[] = {
	{ "stage", .format = FORMAT_KEY, .width = 5, .is_left = true },
	{ "requests", .figure = FIG_CALLS, .width = 10 },
	{ "share", .format = FORMAT_PERCENT, .figure = FIG_TOTAL, .per = FIG_WHOLE, .unit = "%",
	  .width = 5 },
	TIME("total", FIG_TOTAL, 0),
	TIME("mean", FIG_TOTAL, 0, .per = FIG_CALLS),
	TIME("p50", FIG_P50, 0),
	TIME("p99", FIG_P99, 0),
	TIME("max", FIG_MAX, 0),
};

static const struct layout loads = { COLUMNS(load_columns), .begin = "", .gap = " " };
static const struct layout times = { COLUMNS(time_columns), .begin = "", .gap = " " };
static const struct layout of_stages = { COLUMNS(stage_columns), .begin = "", .gap = " " };

void io_sort(struct table *requests)
{
	table_sort(requests, &times, "time");
}

static void print_stages(FILE *out, const struct row *row)
{
	struct row rows[IO_NR_STAGES] = { { .parts = NULL } };
	struct table table = { .rows = rows, .nr = IO_NR_STAGES, .nr_parts = 1 };
	int stage;

	for (stage = 0; stage < IO_NR_STAGES; stage++) {
		rows[stage].keys[0].text = stages[stage];
		rows[stage].parts = &row->parts[stage];
	}
	table.total = rows[KTRACE_BLOCK_Q2C];
	table_print(out, &table, &of_stages);
}

void io_print(FILE *out, const struct table *requests)
{
	if (!requests->nr) {
		out_put(out, "No request was counted.\n");
		return;
	}
	table_print(out, requests, &loads);
	fputc('\n', out);
	if (requests->flags & BY(STAGE))
		print_stages(out, &requests->rows[0]);
	else
		table_print(out, requests, &times);
}

void io_print_hists(FILE *out, const struct table *requests, int stage)
{
	const struct row *row;

	for (row = requests->rows; row < requests->rows + requests->nr; row++) {
		out_put(out, "\n%s %s %s\n", row->keys[IO_NAME].text, row->keys[IO_OP].text,
			stages[stage]);
		hist_print(out, &row->parts[stage].hist);
	}
}

/* --- JSON ------------------------------------------------------------------- */

#define KEY(text, as, which, ...)							\
	{ text, .format = (as), .key = (which), __VA_ARGS__ }
#define MEMBER(text, what, which, ...)							\
	{ text, .figure = (what), .parts = (which), __VA_ARGS__ }
#define STAGE_MEMBERS(name, which)							\
	MEMBER("stages." name ".requests", FIG_CALLS, which),				\
	MEMBER("stages." name ".total_ns", FIG_TOTAL, which),				\
	DISTRIBUTION("stages." name ".", which, 0, BY_TREE)

static const struct column members[] = {
	KEY("disk", FORMAT_KEY, IO_NAME, .unless = BY_TREE | BY(OP) | BY(STAGE)),
	KEY("cgroup_id", FORMAT_KEY_NUMBER, IO_ID, .when = BY(CGROUP)),
	KEY("cgroup", FORMAT_KEY_TEXT, IO_ID, .when = BY(CGROUP)),
	KEY("inode", FORMAT_KEY_NUMBER, IO_ID, .when = BY(FILE)),
	KEY("file_dev", FORMAT_KEY, IO_DEV, .when = BY(FILE)),
	KEY("path", FORMAT_KEY_TEXT, IO_ID, .when = BY(FILE)),
	KEY("dev", FORMAT_KEY, IO_DEV, .unless = BY_TREE),
	KEY("pid", FORMAT_KEY_NUMBER, IO_TASK, .when = BY(PID)),
	KEY("tid", FORMAT_KEY_NUMBER, IO_TASK, .when = BY(TID)),
	KEY("comm", FORMAT_KEY, IO_TASK, .unless = (uint32_t)~BY_TASK),
	KEY("operation", FORMAT_KEY, IO_OP, .unless = BY(DEV) | BY(STAGE)),
	MEMBER("requests", FIG_CALLS, Q2C),
	MEMBER("errors", FIG_ERRORS, Q2C, .unless = BY_TREE),
	MEMBER("bytes", FIG_BYTES, Q2C),
	MEMBER("total_ns", FIG_TOTAL, Q2C),
	STAGE_MEMBERS("q2g", Q2G),
	STAGE_MEMBERS("g2i", G2I),
	STAGE_MEMBERS("i2d", I2D),
	STAGE_MEMBERS("d2c", D2C),
	STAGE_MEMBERS("q2c", Q2C),
};

static const struct layout json = { COLUMNS(members) };

struct json_object *io_json(const struct table *requests)
{
	return table_json(requests, &json);
}
