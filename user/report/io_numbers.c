// SPDX-License-Identifier: GPL-2.0
/* Requests by file, and by cgroup. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/io_numbers.h"
#include "system/cgroup_names.h"
#include "system/inode_names.h"
#include "util/mem.h"

struct walk {
	struct io_rows *rows;
	uint32_t dev, high;
	uint64_t number;
	size_t first;		/* row of what is walked through now */
};

/* Rows of one file, or cgroup, are side by side. */
static struct io_row *row_of(struct walk *walk, uint32_t op)
{
	struct io_rows *rows = walk->rows;
	struct io_row *row;
	size_t i;

	for (i = walk->first; i < rows->nr; i++)
		if (rows->rows[i].op == op)
			return &rows->rows[i];
	rows->rows = mem_grow(rows->rows, rows->nr, sizeof(*rows->rows));
	row = &rows->rows[rows->nr++];
	row->dev = walk->dev;
	row->id = walk->number;
	row->op = op;
	return row;
}

/*
 * Three nodes, one below the other, are the device of a file and both halves of the number. One
 * whose figures the module had no room for still says whose those below it are.
 */
static void take_node(struct walk *walk, const struct ktrace_node *node, unsigned int depth)
{
	if (node->func == KTRACE_FUNC_FULL)
		return;
	switch (depth) {
	case 0:
		walk->dev = node->func;
		break;
	case 1:
		walk->high = node->func;
		break;
	case 2:
		walk->number = KTRACE_NODE_NUMBER(walk->high, node->func);
		walk->first = walk->rows->nr;
		break;
	default:
		if (node->calls)
			io_row_add_node(row_of(walk, KTRACE_BLOCK_OP(node->func)), node);
	}
}

void io_numbers_take(struct io_rows *rows, const struct graph *graph)
{
	unsigned int *depths = graph_depths(graph);
	bool has_no_dev = rows->by == IO_BY_CGROUP;
	struct walk walk = { .rows = rows };
	size_t i;

	for (i = 0; i < graph->nr; i++)
		take_node(&walk, &graph->nodes[i], depths[i] + has_no_dev);
	free(depths);
}

static int read_rows(struct io_rows *rows, struct knl *nl, uint64_t session, uint32_t read_flags)
{
	struct graph graph;
	int error = graph_read(&graph, nl, session, read_flags);

	if (!error)
		io_numbers_take(rows, &graph);
	graph_free(&graph);
	return error;
}

/* --- names ------------------------------------------------------------------ */

static void name_file(struct io_row *row, const char *path)
{
	char number[DISK_NAME_LEN];

	row->is_named = path;
	if (path)
		snprintf(row->name, sizeof(row->name), "%s", path);
	else if (row->id)
		snprintf(row->name, sizeof(row->name), "inode %llu of %s",
			 (unsigned long long)row->id, disk_number(number, row->dev));
	else
		strcpy(row->name, "-");
}

static void name_cgroup(struct io_row *row, const char *path)
{
	row->is_named = path;
	if (path)
		snprintf(row->name, sizeof(row->name), "%s", path);
	else if (row->id)
		snprintf(row->name, sizeof(row->name), "cgroup %llu", (unsigned long long)row->id);
	else
		strcpy(row->name, "-");
}

static void name_cgroups(struct io_rows *rows)
{
	struct cgroup_names names;
	struct io_row *row;

	cgroup_names_read(&names);
	for (row = rows->rows; row < rows->rows + rows->nr; row++)
		name_cgroup(row, cgroup_names_path(&names, row->id));
	cgroup_names_free(&names);
}

static void name_files(struct io_rows *rows)
{
	struct inode_name *names = mem_alloc((rows->nr + 1) * sizeof(*names));
	struct io_row *row;
	size_t nr = 0;

	for (row = rows->rows; row < rows->rows + rows->nr; row++) {
		if (!row->id || (nr && names[nr - 1].inode == row->id &&
				 names[nr - 1].dev == row->dev))
			continue;
		names[nr].dev = row->dev;
		names[nr++].inode = row->id;
	}
	inode_names_find(names, nr);
	for (row = rows->rows; row < rows->rows + rows->nr; row++)
		name_file(row, inode_names_path(names, nr, row->dev, row->id));
	inode_names_free(names, nr);
}

int io_numbers_read(struct io_rows *rows, struct knl *nl, uint64_t session, uint32_t read_flags)
{
	int error = read_rows(rows, nl, session, read_flags);

	if (!error && rows->by == IO_BY_CGROUP)
		name_cgroups(rows);
	else if (!error)
		name_files(rows);
	return error;
}
