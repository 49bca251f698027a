// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "report/graph.h"
#include "report/kfunc_by.h"
#include "util/fmt.h"
#include "util/mem.h"
#include "util/out.h"

static const char *comm_of(const struct kfunc_by *by, uint32_t key,
			   const struct threads *threads)
{
	if (!strcmp(by->what, "cpu"))
		return NULL;
	return strcmp(by->what, "comm") ? threads_comm(threads, key) : comms_get(&by->comms, key);
}

static void add(struct kfunc_by *by, const struct ktrace_node *node, uint32_t key,
		const struct names *names, const struct threads *threads)
{
	struct kfunc_by_row *row;

	by->rows = mem_grow(by->rows, by->nr, sizeof(*by->rows));
	row = &by->rows[by->nr++];
	row->key = key;
	row->comm = comm_of(by, key, threads);
	row->name = names_get(names, node->func);
	row->calls = node->calls;
	row->total_ns = node->total_ns;
}

static int compare(const void *a, const void *b)
{
	const struct kfunc_by_row *x = a, *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return strcmp(x->name, y->name);
}

int kfunc_by_read(struct kfunc_by *by, struct knl *nl, const struct knl_session *session,
		  uint32_t read_flags, const struct names *names, const struct threads *threads)
{
	struct graph graph;
	uint32_t key = 0;
	size_t i;
	int error;

	memset(by, 0, sizeof(*by));
	by->what = session->flags & KTRACE_F_BY_PID ? "pid" :
		   session->flags & KTRACE_F_BY_TID ? "tid" :
		   session->flags & KTRACE_F_BY_COMM ? "comm" : "cpu";
	error = graph_read(&graph, nl, session->id, read_flags);
	/* Behind the nodes: none has a number that is not known then. */
	if (!error && session->flags & KTRACE_F_BY_COMM)
		error = comms_read(&by->comms, nl, session->id);
	for (i = 0; i < graph.nr; i++) {
		if (graph.nodes[i].func == KTRACE_FUNC_FULL)
			continue;
		if (graph.nodes[i].parent == KTRACE_NODE_ROOT)
			key = graph.nodes[i].func;
		else if (graph.nodes[i].calls)
			add(by, &graph.nodes[i], key, names, threads);
	}
	graph_free(&graph);
	if (by->nr)
		qsort(by->rows, by->nr, sizeof(*by->rows), compare);
	return error;
}

void kfunc_by_free(struct kfunc_by *by)
{
	free(by->rows);
	comms_free(&by->comms);
}

void kfunc_by_print(FILE *out, const struct kfunc_by *by)
{
	bool has_comm = strcmp(by->what, "cpu"), has_key = strcmp(by->what, "comm");
	char total[FMT_LEN], avg[FMT_LEN];
	const struct kfunc_by_row *row;

	if (!by->nr) {
		out_put(out, "No call was counted.\n");
		return;
	}
	out_put(out, "  %10s  %9s  %10s  ", "TOTAL TIME", "CALLS", "AVG");
	if (has_key)
		out_put(out, "%7s  ", !has_comm ? "CPU" : *by->what == 'p' ? "PID" : "TID");
	out_put(out, "%s%s\n", has_comm ? "COMM              " : "", "FUNCTION");
	for (row = by->rows; row < by->rows + by->nr; row++) {
		out_put(out, "  %10s  %9llu  %10s  ", fmt_duration(total, row->total_ns),
			(unsigned long long)row->calls,
			fmt_duration(avg, row->total_ns / row->calls));
		if (has_key)
			out_put(out, "%7u  ", row->key);
		if (has_comm)
			out_put(out, "%-16s  ", row->comm ? row->comm : "-");
		out_put(out, "%s\n", row->name);
	}
}
