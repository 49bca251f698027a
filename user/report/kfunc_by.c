// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "report/graph.h"
#include "report/kfunc_by.h"
#include "report/layout.h"
#include "util/out.h"

/* A process, thread, CPU, or a name's number; its name; what it called. */
enum { WHICH, COMM, FUNCTION };

static const struct key_kind keys[] = {
	[WHICH] = { "by", key_by_number },
	[COMM] = { "comm", key_by_text },
	[FUNCTION] = { "function", key_by_text },
};

struct reading {
	struct kfunc_by *by;
	const struct names *names;
	const struct threads *threads;
};

static const char *comm_of(const struct reading *reading, uint32_t number)
{
	if (reading->by->table.flags & KTRACE_F_BY_COMM)
		return comms_get(&reading->by->comms, number);
	return threads_comm(reading->threads, number);
}

static void take(void *arg, const struct ktrace_node *node, const uint32_t *path,
		 unsigned int depth)
{
	const struct reading *reading = arg;
	struct row *row;

	if (depth != 1 || !node->calls)
		return;
	row = table_add(&reading->by->table);
	row->keys[WHICH].number = path[0];
	row->keys[FUNCTION].text = names_get(reading->names, node->func);
	part_read_node(row->parts, node);
}

/* Behind the nodes: each has a name that is known then. */
static int name(const struct reading *reading, struct knl *nl, uint64_t session)
{
	struct table *table = &reading->by->table;
	struct row_key *comm;
	int error = 0;
	size_t i;

	if (table->flags & KTRACE_F_BY_COMM)
		error = comms_read(&reading->by->comms, nl, session);
	for (i = 0; i < table->nr; i++) {
		comm = &table->rows[i].keys[COMM];
		if (table->flags & (KTRACE_F_BY_COMM | KTRACE_F_BY_PID | KTRACE_F_BY_TID))
			comm->text = comm_of(reading, table->rows[i].keys[WHICH].number);
		comm->is_none = !comm->text;
	}
	return error;
}

static const struct column columns[] = {
	{ "TOTAL TIME", .sort = "total", .format = FORMAT_TIME, .figure = FIG_TOTAL, .width = 10 },
	{ "CALLS", .figure = FIG_CALLS, .width = 9 },
	{ "AVG", .format = FORMAT_TIME, .figure = FIG_AVG, .width = 10 },
	{ "PID", .format = FORMAT_KEY, .key = WHICH, .width = 7, .when = KTRACE_F_BY_PID },
	{ "TID", .format = FORMAT_KEY, .key = WHICH, .width = 7, .when = KTRACE_F_BY_TID },
	{ "CPU", .format = FORMAT_KEY, .key = WHICH, .width = 7, .when = KTRACE_F_BY_CPU },
	{ "COMM", .format = FORMAT_KEY, .key = COMM, .width = 16, .is_left = true, .none = "-",
	  .unless = KTRACE_F_BY_CPU },
	{ "FUNCTION", .format = FORMAT_KEY, .key = FUNCTION, .is_left = true },
};

static const struct layout layout = { COLUMNS(columns), .begin = "  ", .gap = "  " };

int kfunc_by_read(struct kfunc_by *by, struct knl *nl, const struct knl_session *session,
		  uint32_t read_flags, const struct names *names, const struct threads *threads)
{
	struct reading reading = { by, names, threads };
	int error;

	memset(by, 0, sizeof(*by));
	table_init(&by->table, keys, 3, 1);
	by->table.flags = session->flags & KTRACE_F_BY;
	error = graph_each(nl, session->id, read_flags, take, &reading);
	if (!error)
		error = name(&reading, nl, session->id);
	table_sort(&by->table, &layout, "total");
	return error;
}

void kfunc_by_free(struct kfunc_by *by)
{
	table_free(&by->table);
	comms_free(&by->comms);
}

void kfunc_by_print(FILE *out, const struct kfunc_by *by)
{
	if (by->table.nr)
		table_print(out, &by->table, &layout);
	else
		out_put(out, "No call was counted.\n");
}

static const struct column members[] = {
	{ "pid", .format = FORMAT_KEY, .key = WHICH, .when = KTRACE_F_BY_PID },
	{ "tid", .format = FORMAT_KEY, .key = WHICH, .when = KTRACE_F_BY_TID },
	{ "cpu", .format = FORMAT_KEY, .key = WHICH, .when = KTRACE_F_BY_CPU },
	{ "comm", .format = FORMAT_KEY, .key = COMM },
	{ "name", .format = FORMAT_KEY, .key = FUNCTION },
	{ "calls", .figure = FIG_CALLS },
	{ "total_ns", .figure = FIG_TOTAL },
};

static const struct layout json = { COLUMNS(members) };

struct json_object *kfunc_by_json(const struct kfunc_by *by)
{
	return table_json(&by->table, &json);
}
