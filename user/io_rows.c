// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "io_rows.h"
#include "mem.h"

static const char *const ops[] = {
	"read", "write", "flush", "discard", "zeroes", "passthrough", "other",
};

static const char *const stages[IO_NR_STAGES] = { "q2g", "g2i", "i2d", "d2c", "q2c" };

const char *io_op_name(uint32_t op)
{
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

static void name_disk(struct io_row *row)
{
	if (!row->has_dev)
		strcpy(row->disk, "(others)");
	else if (!row->dev)
		strcpy(row->disk, "(no disk)");
	else
		disk_name(row->disk, row->dev);
}

static struct io_row *row_of(struct io_rows *rows, const struct knl_func *func)
{
	uint32_t number = KTRACE_BLOCK_DEV(func->func), op = KTRACE_BLOCK_OP(func->func);
	struct io_row *row;

	for (row = rows->rows; row < rows->rows + rows->nr; row++)
		if (row->number == number && row->op == op)
			return row;
	rows->rows = mem_grow(rows->rows, rows->nr, sizeof(*rows->rows));
	row = &rows->rows[rows->nr++];
	row->number = number;
	row->op = op;
	row->has_dev = func->has_dev;
	row->dev = func->dev;
	name_disk(row);
	return row;
}

static void take(void *arg, const struct knl_func *func)
{
	uint32_t nr = KTRACE_BLOCK_STAGE(func->func);
	struct io_stage *stage;

	if (!func->stats.calls || nr >= IO_NR_STAGES)
		return;
	stage = &row_of(arg, func)->stages[nr];
	stage->stats = func->stats;
	hist_free(&stage->hist);
	stage->hist.nr = func->nr_buckets;
	stage->hist.buckets = mem_alloc(func->nr_buckets * sizeof(*func->buckets));
	if (func->nr_buckets)
		memcpy(stage->hist.buckets, func->buckets,
		       func->nr_buckets * sizeof(*func->buckets));
}

static int compare(const void *a, const void *b)
{
	const struct io_row *x = a, *y = b;
	int order = strcmp(x->disk, y->disk);

	if (order)
		return order;
	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return (int)x->op - (int)y->op;
}

int io_rows_read(struct io_rows *rows, struct knl *nl, uint64_t session, uint32_t read_flags)
{
	int error;

	memset(rows, 0, sizeof(*rows));
	error = knl_func_each(nl, session, read_flags, take, rows);
	if (rows->nr)
		qsort(rows->rows, rows->nr, sizeof(*rows->rows), compare);
	return error;
}

void io_rows_free(struct io_rows *rows)
{
	int stage;

	while (rows->nr--)
		for (stage = 0; stage < IO_NR_STAGES; stage++)
			hist_free(&rows->rows[rows->nr].stages[stage].hist);
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}

const struct ktrace_stats *io_requests(const struct io_row *row)
{
	return &row->stages[KTRACE_BLOCK_Q2C].stats;
}

/* The middle of a bucket may lie outside of what was measured. */
uint64_t io_percentile(const struct io_stage *stage, unsigned int permille)
{
	uint64_t value = hist_percentile(&stage->hist, permille);

	value = value > stage->stats.max_ns ? stage->stats.max_ns : value;
	return value < stage->stats.min_ns ? stage->stats.min_ns : value;
}
