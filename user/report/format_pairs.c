// SPDX-License-Identifier: GPL-2.0
/*
 * Functions, each with those that called it, or with those that it called. Recursive calls count
 * their time once.
 */
#include <stdlib.h>
#include <string.h>

#include "report/format.h"
#include "report/head.h"
#include "report/paths.h"
#include "util/fmt.h"
#include "util/hash.h"
#include "util/out.h"
#include "util/style.h"

/* A caller and a callee; a function as a whole is its own callee. */
struct pair {
	struct pair_ends {
		uint32_t from, to;
	} ends;
	uint64_t calls, self_ns, total_ns;
	unsigned int nr_open;	/* how often it is on the current path */
	UT_hash_handle hh;	/* by ends */
};

struct pairs {
	struct pair *functions, *pairs;	/* hashes */
	struct pair **path;	/* open ones: of each depth the function, then the pair */
	unsigned int depth, room;
	uint64_t all_ns;
	const struct paths *paths;
};

static struct pair *pair_of(struct pair **pairs, uint32_t from, uint32_t to)
{
	struct pair_ends ends = { from, to };
	struct pair *pair;

	HASH_FIND(hh, *pairs, &ends, sizeof(ends), pair);
	if (pair)
		return pair;
	pair = mem_alloc(sizeof(*pair));
	pair->ends = ends;
	HASH_ADD(hh, *pairs, ends, sizeof(ends), pair);
	return pair;
}

static void count(struct pair *pair, const struct path_node *node)
{
	pair->calls += node->calls;
	pair->self_ns += node->self_ns;
	if (!pair->nr_open++)
		pair->total_ns += node->total_ns;
}

static void take(void *arg, const struct path_node *node, const uint32_t *path)
{
	struct pairs *pairs = arg;
	struct pair **open;

	while (pairs->depth > node->depth) {
		open = &pairs->path[2 * --pairs->depth];
		open[0]->nr_open--;
		if (open[1])
			open[1]->nr_open--;
	}
	if (pairs->depth == pairs->room) {
		pairs->room = pairs->room ? 2 * pairs->room : 64;
		pairs->path = mem_resize(pairs->path, 2 * pairs->room * sizeof(*pairs->path));
	}
	open = &pairs->path[2 * pairs->depth++];
	open[0] = pair_of(&pairs->functions, node->name, node->name);
	open[1] = node->depth ? pair_of(&pairs->pairs, path[node->depth - 1], node->name) : NULL;
	count(open[0], node);
	if (open[1])
		count(open[1], node);
}

/* --- output --------------------------------------------------------------------- */

static int by_total(const struct pair *x, const struct pair *y)
{
	if (x->total_ns != y->total_ns)
		return x->total_ns < y->total_ns ? 1 : -1;
	return (x->ends.from > y->ends.from) - (x->ends.from < y->ends.from) ? :
	       (x->ends.to > y->ends.to) - (x->ends.to < y->ends.to);
}

static void put_line(FILE *out, const struct pairs *pairs, const struct pair *pair, uint32_t name,
		     const char *before)
{
	const char *text = pairs->paths->names[name];
	int len = fmt_name_len(text);
	char total[FMT_LEN];

	out_put(out, "  %8s  %6.2f %%  %9llu  %s%.*s%s%s\n", fmt_duration(total, pair->total_ns),
		fmt_percent(pair->total_ns, pairs->all_ns),
		(unsigned long long)pair->calls, before, len, text,
		pairs->paths->counted ? "" : fmt_parentheses(text), text + len);
}

static void put_pairs(FILE *out, const struct pairs *pairs, uint32_t function, bool is_callees)
{
	struct pair *pair, *next;

	HASH_ITER(hh, pairs->pairs, pair, next)
		if ((is_callees ? pair->ends.from : pair->ends.to) == function)
			put_line(out, pairs, pair, is_callees ? pair->ends.to : pair->ends.from,
				 is_callees ? "    -> " : "    <- ");
}

static void free_pairs(struct pair **pairs)
{
	struct pair *pair, *next;

	HASH_ITER(hh, *pairs, pair, next) {
		HASH_DEL(*pairs, pair);
		free(pair);
	}
}

static void print(FILE *out, const struct paths *paths, bool is_callees)
{
	struct pairs pairs = { .paths = paths, .all_ns = paths->total_ns };
	struct pair *pair, *next;

	paths_each(paths, take, &pairs);
	HASH_SORT(pairs.functions, by_total);
	HASH_SORT(pairs.pairs, by_total);
	head_print(out);
	style_begin(out, STYLE_TITLE);
	out_put(out, "  %8s  %8s  %9s  %s\n", "TOTAL", "SHARE",
		paths->counted ? paths->counted : "CALLS",
		is_callees ? "FUNCTION, AND WHAT IT CALLED" : "FUNCTION, AND WHAT CALLED IT");
	style_end(out, STYLE_TITLE);
	HASH_ITER(hh, pairs.functions, pair, next) {
		put_line(out, &pairs, pair, pair->ends.to, "");
		put_pairs(out, &pairs, pair->ends.to, is_callees);
	}
	free_pairs(&pairs.functions);
	free_pairs(&pairs.pairs);
	free(pairs.path);
}

static void print_callers(FILE *out, const struct paths *paths)
{
	print(out, paths, false);
}

static void print_callees(FILE *out, const struct paths *paths)
{
	print(out, paths, true);
}

const struct output_format format_callers = {
	.name = "callers",
	.kinds = FORMATS_OF_RECORDINGS "|" FORMATS_OF_SAMPLES,
	.paths = print_callers,
};

const struct output_format format_callees = {
	.name = "callees",
	.kinds = FORMATS_OF_RECORDINGS "|" FORMATS_OF_SAMPLES,
	.paths = print_callees,
};
