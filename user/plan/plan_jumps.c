// SPDX-License-Identifier: GPL-2.0
/*
 * Drops the probes of tail jumps that need none. A tail jump needs no probe if its target, and each
 * function that the target jumps to in turn, has probes at all exits. A return at the stack pointer
 * of the call then ends the whole chain of calls, and the entry of the target shows the jump.
 *
 * Jumps in a circle keep their probes: without them, a second entry of the same function at the
 * same stack pointer could be a jump back or another call.
 */
#include <stdlib.h>

#include "plan/maker.h"
#include "util/bound.h"
#include "util/mem.h"

#define MAX_ROUNDS 16	/* consecutive jumps; the jumps of longer chains keep their probes */

enum verdict { UNKNOWN, SEEN, UNSEEN };

struct node {
	struct plan_func *func;
	uint8_t verdict;	/* enum verdict: are the ends of calls that jump to it seen? */
};

struct graph {
	struct node *nodes;	/* sorted by place; two names of a place are two nodes */
	size_t nr;
};

static int compare(unsigned int object, uint64_t addr, const struct plan_func *func)
{
	if (object != func->object)
		return object < func->object ? -1 : 1;
	return (addr > func->addr) - (addr < func->addr);
}

static int by_place(const void *a, const void *b)
{
	const struct plan_func *func = ((const struct node *)a)->func;

	return compare(func->object, func->addr, ((const struct node *)b)->func);
}

static void collect(const struct plan *plan, struct graph *graph)
{
	size_t i;

	graph->nodes = mem_alloc((plan->nr_funcs + 1) * sizeof(*graph->nodes));
	graph->nr = 0;
	for (i = 0; i < plan->nr_funcs; i++)
		if (!plan->funcs[i].left_out)
			graph->nodes[graph->nr++] = (struct node){ &plan->funcs[i], UNKNOWN };
	qsort(graph->nodes, graph->nr, sizeof(*graph->nodes), by_place);
}

/* Returns the first node of a place, or NULL. */
static const struct node *first_at(const struct graph *graph, unsigned int object, uint64_t addr)
{
	size_t at = BOUND(graph->nr, i, compare(object, addr, graph->nodes[i].func) > 0);

	return at < graph->nr && !compare(object, addr, graph->nodes[at].func) ?
	       &graph->nodes[at] : NULL;
}

/* A place is SEEN if one of its names is: all names share one probe. */
static enum verdict verdict_at(const struct graph *graph, unsigned int object, uint64_t addr)
{
	const struct node *node = first_at(graph, object, addr), *end = graph->nodes + graph->nr;
	enum verdict verdict = UNSEEN;

	for (; node && node < end && !compare(object, addr, node->func); node++) {
		if (node->verdict == SEEN)
			return SEEN;
		if (node->verdict == UNKNOWN)
			verdict = UNKNOWN;
	}
	return verdict;
}

/* Returns SEEN if all targets of the function's jumps are SEEN. */
static enum verdict verdict_of_jumps(const struct graph *graph, const struct plan_func *func)
{
	enum verdict verdict = SEEN, one;
	unsigned int i;

	for (i = 0; i < func->nr_jumps; i++) {
		one = verdict_at(graph, func->object, func->jumps[i]);
		if (one == UNKNOWN)
			return UNKNOWN;
		if (one == UNSEEN)
			verdict = UNSEEN;
	}
	return verdict;
}

static bool has_all_exits(const struct plan_func *func)
{
	return func->desc.ret == KTRACE_RETURN_SITES && !(func->desc.flags & KTRACE_FUNC_CALLER);
}

static enum verdict judge(const struct graph *graph, const struct plan_func *func)
{
	enum verdict jumps = verdict_of_jumps(graph, func);

	if (jumps == UNKNOWN)
		return UNKNOWN;
	if (has_all_exits(func))
		return SEEN;
	if (func->desc.ret == KTRACE_RETURN_SILENT && !func->jumps_elsewhere)
		return jumps;
	return UNSEEN;
}

/* Functions in a circle, and functions that jump into one, stay UNKNOWN. */
static void judge_all(struct graph *graph)
{
	bool is_new = true;
	struct node *node;
	int round;

	for (round = 0; is_new && round < MAX_ROUNDS; round++) {
		is_new = false;
		for (node = graph->nodes; node < graph->nodes + graph->nr; node++) {
			if (node->verdict != UNKNOWN)
				continue;
			node->verdict = judge(graph, node->func);
			is_new |= node->verdict != UNKNOWN;
		}
	}
}

/* The exits that are direct jumps have the same order as func->jumps. */
static void drop_jumps(const struct graph *graph, struct plan_func *func)
{
	unsigned int i, nr = 0, jump = 0;
	const struct ktrace_exit *exit;
	bool is_direct;

	for (i = 0; i < func->desc.nr_exits; i++) {
		exit = &func->exits[i];
		is_direct = exit->kind == KTRACE_EXIT_JMP || exit->kind == KTRACE_EXIT_JCC;
		if (is_direct && verdict_at(graph, func->object, func->jumps[jump++]) == SEEN)
			func->desc.flags |= KTRACE_FUNC_JUMPS;
		else
			func->exits[nr++] = *exit;
	}
	func->desc.nr_exits = nr;
}

void plan_drop_jumps(struct maker *maker)
{
	struct graph graph;
	size_t i;

	collect(maker->plan, &graph);
	judge_all(&graph);
	for (i = 0; i < graph.nr; i++)
		if (graph.nodes[i].func->desc.ret == KTRACE_RETURN_SITES)
			drop_jumps(&graph, graph.nodes[i].func);
	free(graph.nodes);
}
