// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "report/chains.h"
#include "report/json_write.h"
#include "report/layout.h"
#include "report/number_names.h"
#include "util/mem.h"
#include "util/out.h"

#define INDENT "                         "

struct chain {
	struct link {
		const char *name;	/* of a function that returned an error */
		int error;		/* errno */
	} *links;
	size_t nr;
	const char *gone_on;	/* the caller of the last link, which did not return an error;
				 * NULL if there is none */
};

/* --- from the module ---------------------------------------------------------- */

static uint64_t less(uint64_t from, uint64_t what)
{
	return from > what ? from - what : 0;
}

/*
 * How often a chain ended at each node: its calls minus those of its children. The caller frees it.
 */
static uint64_t *calls_of(const struct graph *graph, const unsigned int *depths)
{
	uint64_t *calls = mem_alloc(graph->nr * sizeof(*calls));
	size_t *path = NULL, i;

	for (i = 0; i < graph->nr; i++) {
		path = mem_grow(path, depths[i], sizeof(*path));
		path[depths[i]] = i;
		calls[i] = graph->nodes[i].calls;
		if (depths[i])
			calls[path[depths[i] - 1]] = less(calls[path[depths[i] - 1]], calls[i]);
	}
	free(path);
	return calls;
}

static void add(struct table *chains, const struct link *path, size_t nr,
		const struct ktrace_node *node, uint64_t calls)
{
	struct chain *chain = mem_alloc(sizeof(*chain));
	struct row *row = table_add(chains);

	chain->gone_on = path[nr - 1].error ? NULL : path[nr - 1].name;
	chain->nr = nr - !!chain->gone_on;
	chain->links = mem_alloc(nr * sizeof(*path));
	memcpy(chain->links, path, nr * sizeof(*path));
	row->keys[0].object = chain;
	row->keys[0].text = "";
	row->parts->figures[FIG_CALLS] = calls;
	row->parts->figures[FIG_TOTAL] = less(node->total_ns, node->self_ns);
}

static int compare(const struct row_key *a, const struct row_key *b)
{
	const struct chain *x = a->object, *y = b->object;
	size_t i;
	int order;

	for (i = 0; i < x->nr && i < y->nr; i++) {
		order = strcmp(x->links[i].name, y->links[i].name);
		order = order ? order : x->links[i].error - y->links[i].error;
		if (order)
			return order;
	}
	return x->nr == y->nr ? 0 : x->nr < y->nr ? -1 : 1;
}

void chains_take(struct table *chains, const struct graph *graph, const struct names *names)
{
	unsigned int *depths = graph_depths(graph);
	uint64_t *calls = calls_of(graph, depths);
	const struct ktrace_node *node;
	struct link *path = NULL;
	size_t i;

	table_init(chains, &chains_kind);
	for (i = 0; i < graph->nr; i++) {
		node = &graph->nodes[i];
		path = mem_grow(path, depths[i], sizeof(*path));
		path[depths[i]].name = names_get(names, KTRACE_ERROR_FUNC(node->func));
		path[depths[i]].error = KTRACE_ERROR_NR(node->func);
		if (calls[i] && node->func != KTRACE_FUNC_FULL)
			add(chains, path, depths[i] + 1, node, calls[i]);
	}
	free(path);
	free(calls);
	free(depths);
}

int chains_read(struct table *chains, struct ktr *ktr, const struct ktr_session *session,
		uint32_t read_flags, const struct names *names)
{
	struct graph graph;
	int error = graph_read(&graph, ktr, session->id, read_flags);

	if (error)
		graph.nr = 0;
	chains_take(chains, &graph, names);
	graph_free(&graph);
	return error;
}

void chains_free(struct table *chains)
{
	struct chain *chain;
	size_t i;

	for (i = 0; i < chains->nr; i++) {
		chain = (struct chain *)chains->rows[i].keys[0].object;
		free(chain->links);
		free(chain);
	}
	table_free(chains);
}

/* --- the table ---------------------------------------------------------------- */

/* Prints the chain at the end of its row, on further lines where it has more than one link. */
static void print_links(FILE *out, const struct table *table, const struct row *row)
{
	const struct chain *chain = row->keys[0].object;
	char error[ERRNO_NAME_LEN];
	size_t i;

	(void)table;
	for (i = 0; i < chain->nr; i++) {
		if (i)
			out_put(out, "\n" INDENT);
		out_put(out, "%*s%s: %s", 2 * (int)i, "", chain->links[i].name,
			errno_text(error, chain->links[i].error));
	}
	if (chain->gone_on)
		out_put(out, "\n" INDENT "%*s%s continued", 2 * (int)i, "", chain->gone_on);
}

static void add_links(struct json_object *to, const struct row_key *key)
{
	struct json_object *list = json_object_new_array(), *link;
	const struct chain *chain = key->object;
	char error[ERRNO_NAME_LEN];
	size_t i;

	for (i = 0; i < chain->nr; i++) {
		link = json_object_new_object();
		json_add_text(link, "name", chain->links[i].name);
		json_add_text(link, "errno", errno_text(error, chain->links[i].error));
		json_add_u64(link, "number", chain->links[i].error);
		json_object_array_add(list, link);
	}
	json_add(to, "errors", list);
	if (chain->gone_on)
		json_add_text(to, "went_on", chain->gone_on);
}

static const struct key_kind keys[] = { { "errors", compare, .add = add_links, .is_left = true } };

static const struct column columns[] = {
	FIGURE(TOTAL), NAMED(CALLS, "TIMES", .sort = "calls", .width = 11),
	{ .title = "ERRORS, THE DEEPEST FIRST" },
};

static const struct column members[] = { NAMED(CALLS, "count"), FIGURE(TOTAL), { .key = 0 } };

static const struct layout screen = {
	COLUMNS(columns), .begin = "  ", .gap = "  ", .is_upper = true, .tie = FIG_TOTAL,
	.remark = print_links, .empty = "No function returned an error.",
};
static const struct layout json = { COLUMNS(members) };

const struct table_kind chains_kind = {
	.keys = keys, .nr_keys = 1, .screens = { &screen }, .json = &json,
};

void chains_sort(struct table *chains, const char *column)
{
	table_sort(chains, strcmp(column, "calls") ? "total" : column);
}
