// SPDX-License-Identifier: GPL-2.0
#include "report/io_table.h"
#include "report/layout.h"
#include "report/table_read.h"
#include "system/disks.h"
#include "util/out.h"

/* --- rows ------------------------------------------------------------------- */

static struct row_key read_dev(struct table *requests, const struct ktr_row *row)
{
	struct row_key dev = { .number = ktr_row_key(row, KTRACE_KEY_DEVICE) };
	char number[DISK_NAME_LEN];

	dev.is_none = dev.number == UINT64_MAX;
	dev.text = table_text(requests, "%s", disk_number(number, dev.number));
	return dev;
}

int io_read(struct table *requests, struct ktr *ktr, uint64_t session, uint32_t read_flags)
{
	struct table_source source = { .to = requests };

	table_init(requests, &io_kind);
	return table_read(&source, NULL, ktr, session, read_flags);
}

/* --- tables ----------------------------------------------------------------- */

#define Q2G	(1U << KTRACE_BLOCK_Q2G)
#define G2I	(1U << KTRACE_BLOCK_G2I)
#define I2D	(1U << KTRACE_BLOCK_I2D)
#define D2C	(1U << KTRACE_BLOCK_D2C)
#define Q2C	(1U << KTRACE_BLOCK_Q2C)

static const struct key_kind keys[] = {
	[IO_NAME] = { "disk", key_by_text, KTRACE_KEY_DEVICE, .width = 7, .is_left = true },
	[IO_DEV] = { "dev", key_by_number, .read = read_dev },
	[IO_OP] = { "op", key_by_number, KTRACE_KEY_OPERATION, .json = "operation", .width = 5,
		    .is_left = true },
};

#define FIRST_COLUMNS									\
	{ .key = IO_NAME, .is_grown = true, .is_cut = true },		\
	{ .key = IO_OP, .is_grown = true }

static const struct column load_columns[] = {
	FIRST_COLUMNS,
	OF_PARTS(CALLS, "requests", Q2C, .sort = "requests"), OF_PARTS(CALL_RATE, NULL, Q2C),
	OF_PARTS(TOTAL, NULL, Q2C, .is_hidden = true, .sort = "time"),
	OF_PARTS(BYTES, NULL, Q2C), OF_PARTS(BYTE_RATE, NULL, Q2C),
	OF_PARTS(BYTES_EACH, NULL, Q2C),
	RESULT(.parts = Q2C, .width = 8),
};

/* The mean time, and its share of the whole request. */
#define STAGE(text, which)								\
	OF_PARTS(TOTAL_EACH, text, which, .per_parts = Q2C),				\
	OF_PARTS(TOTAL_OF_PARTS, NULL, which, .per_parts = Q2C, .unit = "%", .width = 4,	\
		 .drop = 2)

static const struct column time_columns[] = {
	FIRST_COLUMNS,
	STAGE("Q2G", Q2G), STAGE("G2I", G2I), STAGE("I2D", I2D), STAGE("D2C", D2C),
	OF_PARTS(TOTAL_EACH, "Q2C", Q2C),
	OF_PARTS(P50, "Q2C p50", Q2C, .drop = 1),
	OF_PARTS(P99, "Q2C p99", Q2C, .drop = 1),
	OF_PARTS(MAX, "Q2C max", Q2C, .drop = 1),
	OF_PARTS(P50, "D2C p50", D2C, .drop = 3),
	OF_PARTS(P99, "D2C p99", D2C, .drop = 3),
	OF_PARTS(MAX, "D2C max", D2C, .drop = 3),
};

static const struct layout loads = { COLUMNS(load_columns), .empty = "No request was counted." };
static const struct layout times = { COLUMNS(time_columns), .time_width = 7 };

static const struct column stage_members[] = {
	NAMED(CALLS, "requests"), FIGURE(TOTAL), DISTRIBUTION(),
};

static const struct layout stage = { COLUMNS(stage_members) };

static const struct column members[] = {
	{ .key = IO_NAME }, { .key = IO_DEV }, { .key = IO_OP }, OF_PARTS(CALLS, "requests", Q2C),
	RESULT(.parts = Q2C), OF_PARTS(BYTES, NULL, Q2C), OF_PARTS(TOTAL, NULL, Q2C),
	{ .in = "stages.", .each = &stage },
};

static const struct layout json = { COLUMNS(members) };

const struct table_kind io_kind = {
	.keys = keys, .nr_keys = IO_OP + 1, .parts = number_stages, .nr_parts = IO_NR_STAGES,
	.part_key = KTRACE_KEY_STAGE, .needs = FIG_CALLS, .screens = { &loads, &times },
	.json = &json,
};

void io_print_hists(FILE *out, const struct table *requests, int stage)
{
	const struct row *row;

	for (row = requests->rows; row < requests->rows + requests->nr; row++) {
		out_put(out, "\n%s %s %s\n", row->keys[IO_NAME].text, row->keys[IO_OP].text,
			io_stage_name(stage));
		hist_print(out, &row->parts[stage].hist);
	}
}
