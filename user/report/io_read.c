// SPDX-License-Identifier: GPL-2.0
/* Rows of requests, from the module's figures of disks, or from its tree. */
#include <stdlib.h>
#include <string.h>

#include "report/io_table.h"
#include "session/comms.h"
#include "system/cgroup_names.h"
#include "system/disks.h"
#include "system/inode_names.h"
#include "util/mem.h"

struct reading {
	struct table *requests;
	enum io_by by;
};

static const char *text_of_disk(struct table *requests, uint32_t dev)
{
	char number[DISK_NAME_LEN];

	return table_text(requests, "%s", disk_number(number, dev));
}

static void set_text(struct row_key *key, const char *text)
{
	key->text = text;
	key->is_none = !text;
}

/* --- disks and operations --------------------------------------------------- */

static const char *name_of_disk(struct table *requests, const struct knl_func *func)
{
	char name[DISK_NAME_LEN];

	if (!func->has_dev)
		return "(others)";
	if (!func->dev)
		return "(no disk)";
	return table_text(requests, "%s", disk_name(name, func->dev));
}

/* What rows are not told apart by is not in their keys: they are united. */
static void take(void *arg, const struct knl_func *func)
{
	const struct reading *reading = arg;
	struct table *requests = reading->requests;
	uint32_t stage = KTRACE_BLOCK_STAGE(func->func);
	bool is_of_disk = reading->by == IO_BY_NONE || reading->by == IO_BY_DEV;
	bool is_of_op = reading->by == IO_BY_NONE || reading->by == IO_BY_OP;
	struct row *row;

	if (!func->stats.calls || stage >= IO_NR_STAGES)
		return;
	row = io_add(requests, is_of_disk ? name_of_disk(requests, func) : "all",
		     is_of_op ? KTRACE_BLOCK_OP(func->func) : 0);
	if (!is_of_op)
		row->keys[IO_OP].text = "all";
	if (is_of_disk && func->has_dev) {
		row->keys[IO_DEV].number = func->dev;
		set_text(&row->keys[IO_DEV], text_of_disk(requests, func->dev));
	}
	part_read(&row->parts[stage], func);
}

/* --- the tree: tasks, files, cgroups ------------------------------------------ */

/* How many nodes are above a node of a stage. */
static unsigned int depth_of(enum io_by by)
{
	return by == IO_BY_COMM ? 1 : by == IO_BY_FILE ? 3 : 2;
}

/*
 * Tasks are below the number of their name. Two nodes, one below the other, are the halves of the
 * number of an inode or cgroup; a file's device is above both. A node above may have no calls, if
 * the module had no room for its figures: its number still counts. The self time of a whole request
 * is its bytes.
 */
static void take_node(void *arg, const struct ktrace_node *node, const uint32_t *path,
		      unsigned int depth)
{
	const struct reading *reading = arg;
	unsigned int of = depth_of(reading->by);
	uint32_t stage = KTRACE_BLOCK_STAGE(node->func), op = KTRACE_BLOCK_OP(node->func);
	struct row_key keys[TABLE_KEYS] = { { .text = NULL } };
	struct row_part *part;

	if (depth < of || !node->calls || stage >= IO_NR_STAGES)
		return;
	keys[IO_OP].number = op;
	keys[IO_OP].text = io_op_name(op);
	if (reading->by >= IO_BY_FILE)
		keys[IO_ID].number = KTRACE_NODE_NUMBER(path[of - 2], path[of - 1]);
	else
		keys[IO_NAME].number = path[0];
	if (reading->by == IO_BY_FILE)
		keys[IO_DEV].number = path[0];
	if (reading->by == IO_BY_PID || reading->by == IO_BY_TID)
		keys[IO_TASK].number = path[1];
	part = &table_row(reading->requests, keys)->parts[stage];
	part_read_node(part, node);
	part->figures[FIG_BYTES] += node->self_ns;
}

/* Tasks of one name are one, wherever the tree has them. */
static void name_task(const struct reading *reading, struct row_key *keys, const char *comm)
{
	struct table *requests = reading->requests;

	comm = table_text(requests, "%s", comm && comm[0] ? comm : "-");
	keys[IO_NAME].number = 0;
	keys[IO_NAME].text = reading->by == IO_BY_COMM ? comm :
		table_text(requests, "%u %s", (uint32_t)keys[IO_TASK].number, comm);
	keys[IO_TASK].text = comm;
}

/* Behind the nodes: each has a name that is known then. */
static int name_tasks(const struct reading *reading, struct knl *nl, uint64_t session)
{
	struct row *row = reading->requests->rows, *end = row + reading->requests->nr;
	struct comms comms = { NULL, 0 };
	int error = comms_read(&comms, nl, session);

	for (; !error && row < end; row++)
		name_task(reading, row->keys, comms_get(&comms, row->keys[IO_NAME].number));
	comms_free(&comms);
	table_unite(reading->requests);
	return error;
}

/* Of a file or a cgroup; what it is called without a path is unknown, if it has no number. */
static void name_number(struct table *requests, struct row_key *keys, const char *path,
			const char *unknown)
{
	set_text(&keys[IO_ID], path ? table_text(requests, "%s", path) : NULL);
	keys[IO_ID].is_none = !keys[IO_ID].number;
	keys[IO_NAME].text = path ? keys[IO_ID].text : keys[IO_ID].number ? unknown : "-";
}

static void name_cgroups(struct table *requests)
{
	struct cgroup_names names;
	struct row_key *keys;
	size_t i;

	cgroup_names_read(&names);
	for (i = 0; i < requests->nr; i++) {
		keys = requests->rows[i].keys;
		name_number(requests, keys, cgroup_names_path(&names, keys[IO_ID].number),
			    table_text(requests, "cgroup %llu",
				       (unsigned long long)keys[IO_ID].number));
	}
	cgroup_names_free(&names);
}

static void name_file(struct table *requests, struct row_key *keys, const char *path)
{
	const char *dev = text_of_disk(requests, keys[IO_DEV].number);

	name_number(requests, keys, path, table_text(requests, "inode %llu of %s",
						     (unsigned long long)keys[IO_ID].number, dev));
	set_text(&keys[IO_DEV], keys[IO_ID].number ? dev : NULL);
}

/* Rows of one file are side by side. */
static void name_files(struct table *requests)
{
	struct inode_name *names = mem_alloc((requests->nr + 1) * sizeof(*names));
	struct row_key *keys;
	size_t i, nr = 0;

	for (i = 0; i < requests->nr; i++) {
		keys = requests->rows[i].keys;
		if (!keys[IO_ID].number || (nr && names[nr - 1].inode == keys[IO_ID].number &&
					    names[nr - 1].dev == keys[IO_DEV].number))
			continue;
		names[nr].dev = keys[IO_DEV].number;
		names[nr++].inode = keys[IO_ID].number;
	}
	inode_names_find(names, nr);
	for (i = 0; i < requests->nr; i++) {
		keys = requests->rows[i].keys;
		name_file(requests, keys, inode_names_path(names, nr, keys[IO_DEV].number,
							   keys[IO_ID].number));
	}
	inode_names_free(names, nr);
}

/* --- the whole -------------------------------------------------------------- */

void io_take(struct table *requests, const struct graph *graph)
{
	struct reading reading = { requests, __builtin_ctz(requests->flags) };

	graph_walk(graph, take_node, &reading);
	table_unite(requests);
}

static int read_tree(struct table *requests, struct knl *nl, uint64_t session, uint32_t read_flags,
		     enum io_by by)
{
	struct reading reading = { requests, by };
	struct graph graph;
	int error = graph_read(&graph, nl, session, read_flags);

	if (!error)
		io_take(requests, &graph);
	graph_free(&graph);
	if (error)
		return error;
	if (by == IO_BY_FILE)
		name_files(requests);
	else if (by == IO_BY_CGROUP)
		name_cgroups(requests);
	else
		error = name_tasks(&reading, nl, session);
	io_sort(requests);
	return error;
}

int io_read(struct table *requests, struct knl *nl, uint64_t session, uint32_t read_flags,
	    enum io_by by)
{
	struct reading reading = { requests, by };
	int error;

	io_init(requests, by);
	if (io_is_of_tree(by))
		return read_tree(requests, nl, session, read_flags, by);
	error = knl_func_each(nl, session, read_flags, take, &reading);
	table_unite(requests);
	return error;
}
