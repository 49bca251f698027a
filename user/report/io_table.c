// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "report/io_table.h"
#include "report/layout.h"
#include "report/table_read.h"
#include "system/disks.h"
#include "util/out.h"

#define Q2G	(1U << KTRACE_BLOCK_Q2G)
#define G2I	(1U << KTRACE_BLOCK_G2I)
#define I2D	(1U << KTRACE_BLOCK_I2D)
#define D2C	(1U << KTRACE_BLOCK_D2C)
#define Q2C	(1U << KTRACE_BLOCK_Q2C)

static const struct key_kind keys[] = {
	[IO_NAME] = { "name", key_by_text, KTRACE_KEY_DEVICE },
	[IO_DEV] = { "dev", .compare = key_by_number },
	[IO_OP] = { "operation", key_by_number, KTRACE_KEY_OPERATION },
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

/* --- rows ------------------------------------------------------------------- */

void io_init(struct table *requests)
{
	table_init(requests, keys, IO_OP + 1, IO_NR_STAGES);
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

static struct row *add(void *arg, struct table *requests, const struct knl_row *row)
{
	struct row *added = table_add(requests);
	struct row_key *dev = &added->keys[IO_DEV];
	char number[DISK_NAME_LEN];

	(void)arg;
	dev->number = knl_row_key(row, KTRACE_KEY_DEVICE);
	dev->is_none = dev->number == UINT64_MAX;
	dev->text = table_text(requests, "%s", disk_number(number, dev->number));
	return added;
}

int io_read(struct table *requests, struct knl *nl, uint64_t session, uint32_t read_flags)
{
	struct table_source source = {
		.to = requests, .part = KTRACE_KEY_STAGE, .needs = FIG_CALLS,
		.add = add,
	};

	io_init(requests);
	return table_read(&source, NULL, nl, session, read_flags);
}

/* --- tables ----------------------------------------------------------------- */

#define FIRST_COLUMNS									\
	{ "disk", .format = FORMAT_KEY, .key = IO_NAME, .width = 7, .is_left = true,	\
	  .is_grown = true, .is_cut = true },						\
	{ "op", .format = FORMAT_KEY, .key = IO_OP, .width = 5, .is_left = true, .is_grown = true }
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
	  .needs_parts = Q2C },
};

#define TIME(text, what, which, ...)							\
	{ text, .format = FORMAT_TIME, .figure = (what), .parts = (which), .width = 7,	\
	  __VA_ARGS__ }
/* The mean time, and its share of the whole request. */
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
};

static const struct layout loads = {
	COLUMNS(load_columns), .begin = "", .gap = " ", .empty = "No request was counted.",
};
static const struct layout times = { COLUMNS(time_columns), .begin = "", .gap = " " };

void io_print(FILE *out, const struct table *requests)
{
	table_print(out, requests, &loads);
	if (!requests->nr)
		return;
	fputc('\n', out);
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

#define KEY(text, which) { text, .format = FORMAT_KEY, .key = (which) }
#define MEMBER(text, what, which) { text, .figure = (what), .parts = (which) }
#define STAGE_MEMBERS(name, which)							\
	MEMBER("stages." name ".requests", FIG_CALLS, which),				\
	MEMBER("stages." name ".total_ns", FIG_TOTAL, which),				\
	DISTRIBUTION("stages." name ".", which, 0, 0)

static const struct column members[] = {
	KEY("disk", IO_NAME),
	KEY("dev", IO_DEV),
	KEY("operation", IO_OP),
	MEMBER("requests", FIG_CALLS, Q2C),
	MEMBER("errors", FIG_ERRORS, Q2C),
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
