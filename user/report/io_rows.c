// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/graph.h"
#include "report/io_numbers.h"
#include "report/io_rows.h"
#include "session/comms.h"
#include "util/mem.h"

static const char *const ops[] = {
	"read", "write", "flush", "discard", "zeroes", "passthrough", "other",
};

static const char *const stages[IO_NR_STAGES] = { "q2g", "g2i", "i2d", "d2c", "q2c" };

const char *io_op_name(uint32_t op)
{
	if (op == IO_ALL_OPS)
		return "all";
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

static const char *const bys[] = { "", "dev", "op", "stage", "comm", "pid", "tid", "file", "cgroup" };

enum io_by io_by_find(const char *name)
{
	size_t by;

	for (by = IO_BY_DEV; name && by < sizeof(bys) / sizeof(bys[0]); by++)
		if (!strcmp(bys[by], name))
			return by;
	return IO_BY_NONE;
}

const char *io_by_name(enum io_by by)
{
	return bys[by];
}

bool io_is_by_task(enum io_by by)
{
	return by >= IO_BY_COMM && by <= IO_BY_TID;
}

bool io_is_of_tree(enum io_by by)
{
	return by >= IO_BY_COMM;
}

/* --- disks and operations --------------------------------------------------- */

static void name_disk(struct io_row *row)
{
	if (!row->has_dev)
		strcpy(row->name, "(others)");
	else if (!row->dev)
		strcpy(row->name, "(no disk)");
	else
		disk_name(row->name, row->dev);
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
	hist_read(&stage->hist, func->buckets, func->nr_buckets);
}

/* --- what they are grouped by ----------------------------------------------- */

static void merge_stage(struct io_stage *to, const struct io_stage *from)
{
	uint64_t min = to->stats.min_ns;

	if (!from->stats.calls)
		return;
	if (!to->stats.calls || from->stats.min_ns < min)
		min = from->stats.min_ns;
	to->stats.calls += from->stats.calls;
	to->stats.total_ns += from->stats.total_ns;
	to->stats.min_ns = min;
	if (from->stats.max_ns > to->stats.max_ns)
		to->stats.max_ns = from->stats.max_ns;
	to->stats.errors += from->stats.errors;
	to->stats.bytes += from->stats.bytes;
	hist_merge(&to->hist, &from->hist);
}

static void merge(struct io_row *to, struct io_row *from)
{
	int stage;

	for (stage = 0; stage < IO_NR_STAGES; stage++) {
		merge_stage(&to->stages[stage], &from->stages[stage]);
		hist_free(&from->stages[stage].hist);
	}
}

static void widen(struct io_row *row, enum io_by by)
{
	if (by == IO_BY_DEV || by == IO_BY_STAGE)
		row->op = IO_ALL_OPS;
	if (by == IO_BY_DEV)
		return;
	strcpy(row->name, "all");
	row->number = 0;
	row->dev = 0;
	row->has_dev = false;
}

/* Of rows that do not differ any more the first is left. */
static void group(struct io_rows *rows)
{
	size_t i, n, nr = 0;

	for (i = 0; i < rows->nr; i++) {
		widen(&rows->rows[i], rows->by);
		for (n = 0; n < nr; n++)
			if (rows->rows[n].number == rows->rows[i].number &&
			    rows->rows[n].op == rows->rows[i].op)
				break;
		if (n < nr)
			merge(&rows->rows[n], &rows->rows[i]);
		else
			rows->rows[nr++] = rows->rows[i];
	}
	rows->nr = nr;
}

/* --- tasks ------------------------------------------------------------------ */

static void name_task(char *name, enum io_by by, uint32_t task, const char *comm)
{
	comm = comm && comm[0] ? comm : "-";
	if (by == IO_BY_COMM)
		snprintf(name, DISK_NAME_LEN, "%s", comm);
	else
		snprintf(name, DISK_NAME_LEN, "%u %s", task, comm);
}

static struct io_row *row_of_task(struct io_rows *rows, const char *name, uint32_t task,
				  uint32_t op)
{
	struct io_row *row;
	size_t i;

	/* Rows of one task are side by side. */
	for (i = rows->nr; i-- && !strcmp(rows->rows[i].name, name);)
		if (rows->rows[i].op == op)
			return &rows->rows[i];
	rows->rows = mem_grow(rows->rows, rows->nr, sizeof(*rows->rows));
	row = &rows->rows[rows->nr++];
	strcpy(row->name, name);
	row->number = task;
	row->op = op;
	return row;
}

struct walk {
	struct io_rows *rows;
	struct comms comms;
	const char *comm;
	char name[DISK_NAME_LEN];
	uint32_t task;
	unsigned int depth;	/* of nodes of stages */
};

static void take_stage(struct walk *walk, const struct ktrace_node *node)
{
	if (node->calls && KTRACE_BLOCK_STAGE(node->func) < IO_NR_STAGES)
		io_row_add_node(row_of_task(walk->rows, walk->name, walk->task,
					    KTRACE_BLOCK_OP(node->func)), node);
}

static void take_node(struct walk *walk, const struct ktrace_node *node, unsigned int depth)
{
	if (node->func == KTRACE_FUNC_FULL)
		return;
	if (depth >= walk->depth) {
		take_stage(walk, node);
		return;
	}
	if (!depth)
		walk->comm = comms_get(&walk->comms, node->func);
	else
		walk->task = node->func;
	if (depth == walk->depth - 1)
		name_task(walk->name, walk->rows->by, walk->task, walk->comm);
}

static int read_tasks(struct io_rows *rows, struct knl *nl, uint64_t session, uint32_t read_flags)
{
	struct walk walk = { .rows = rows, .depth = 1 + (rows->by != IO_BY_COMM) };
	unsigned int *depths;
	struct graph graph;
	size_t i;
	int error = graph_read(&graph, nl, session, read_flags);

	/* Behind the nodes: none has a number that is not known then. */
	if (!error)
		error = comms_read(&walk.comms, nl, session);
	if (!error) {
		depths = graph_depths(&graph);
		for (i = 0; i < graph.nr; i++)
			take_node(&walk, &graph.nodes[i], depths[i]);
		free(depths);
	}
	graph_free(&graph);
	comms_free(&walk.comms);
	return error;
}

/* --- reading ---------------------------------------------------------------- */

static int compare_tasks(const void *a, const void *b)
{
	const struct io_row *x = a, *y = b;
	uint64_t in_x = io_requests(x)->total_ns, in_y = io_requests(y)->total_ns;

	if (in_x != in_y)
		return in_x > in_y ? -1 : 1;
	return strcmp(x->name, y->name) ? strcmp(x->name, y->name) : (int)x->op - (int)y->op;
}

static int compare(const void *a, const void *b)
{
	const struct io_row *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (order)
		return order;
	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return (int)x->op - (int)y->op;
}

/* Tasks of one name are one, wherever the tree has them. */
static void unite(struct io_rows *rows)
{
	struct io_row *to = rows->rows, *from;

	if (!rows->nr)
		return;
	qsort(rows->rows, rows->nr, sizeof(*rows->rows), compare);
	for (from = to + 1; from < rows->rows + rows->nr; from++) {
		if (compare(to, from))
			*++to = *from;
		else
			merge(to, from);
	}
	rows->nr = to + 1 - rows->rows;
}

int io_rows_read(struct io_rows *rows, struct knl *nl, uint64_t session, uint32_t read_flags,
		 enum io_by by)
{
	bool is_of_tree = io_is_of_tree(by);
	int error;

	memset(rows, 0, sizeof(*rows));
	rows->by = by;
	error = io_is_by_task(by) ? read_tasks(rows, nl, session, read_flags) :
		is_of_tree ? io_numbers_read(rows, nl, session, read_flags) :
			     knl_func_each(nl, session, read_flags, take, rows);
	if (by != IO_BY_NONE && !is_of_tree)
		group(rows);
	if (by == IO_BY_COMM)
		unite(rows);
	if (rows->nr)
		qsort(rows->rows, rows->nr, sizeof(*rows->rows),
		      is_of_tree ? compare_tasks : compare);
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

uint64_t io_percentile(const struct io_stage *stage, unsigned int permille)
{
	return hist_percentile_of(&stage->hist, &stage->stats, permille);
}
