// SPDX-License-Identifier: GPL-2.0
/* Samples, by mode and stack: the tree that the module would have counted. */
#include <stdlib.h>
#include <string.h>

#include "keep/measured_parts.h"
#include "report/graph.h"
#include "util/clock.h"
#include "util/mem.h"

void measured_take_sample(struct measured *measured, const struct ktr_record *event)
{
	struct tally *tally;

	if (event->func >= KTRACE_NR_PROFILE)
		return;
	tally = tallies_get(measured->tallies, MEASURED_SAMPLES, event->func,
			    event->has_stack && event->stack != KTRACE_STACK_NONE ? event->stack :
			    NO_STACK, 0);
	if (!tally)
		return;
	tally->sums.calls++;
	tally->sums.total_ns += event->duration;
}

/* --- the tree ------------------------------------------------------------------- */

static struct ktrace_node *add_node(struct graph *graph, uint32_t parent, uint32_t func)
{
	struct ktrace_node *node;

	graph->nodes = mem_grow(graph->nodes, graph->nr, sizeof(*graph->nodes));
	node = &graph->nodes[graph->nr];
	node->node = graph->nr++;
	node->parent = parent;
	node->func = func;
	return node;
}

static void count(struct ktrace_node *node, const struct tally *tally)
{
	node->calls += tally->sums.calls;
	node->total_ns += tally->sums.total_ns;
}

/* Each mode has the node of its number, and its stacks below it. */
static void begin(struct graph *graph)
{
	uint32_t mode;

	memset(graph, 0, sizeof(*graph));
	for (mode = 0; mode < KTRACE_NR_PROFILE; mode++)
		add_node(graph, KTRACE_NODE_ROOT, mode);
}

static void add(void *arg, const struct tally *tally)
{
	struct graph *graph = arg;
	uint32_t mode = tally->key[0];

	count(&graph->nodes[mode], tally);
	if (tally->key[1] != NO_STACK)
		count(add_node(graph, mode, tally->key[1]), tally);
}

/*
 * Idle samples have no records. Their number is known if everything that the session counted is
 * here, and chosen.
 */
static void add_idle(const struct measured *measured, struct graph *graph)
{
	const struct kept_session *session = measured->session;
	const struct ktrace_counters *counters = &session->is.counters;
	struct ktrace_node *idle = &graph->nodes[KTRACE_PROFILE_IDLE];
	uint64_t nr = graph->nodes[KTRACE_PROFILE_USER].calls +
		      graph->nodes[KTRACE_PROFILE_KERNEL].calls;

	if (!filter_is_empty(measured->filter) || !session->has_end || session->nr_gaps ||
	    counters->produced != session->nr_records || counters->hits < nr)
		return;
	idle->calls = counters->hits - nr;
	idle->total_ns = session->is.frequency ?
			 idle->calls * (CLOCK_SECOND / session->is.frequency) : 0;
}

void measured_profile(const struct measured *measured, struct profile *profile)
{
	const struct ktr_session *session = &measured->session->is;
	struct graph graph;

	*profile = (struct profile){
		.session = session, .texts = &measured->session->stacks,
		.excluded = session->counters.excluded, .missed = session->counters.missed_samples,
	};
	begin(&graph);
	tallies_each(measured->tallies, MEASURED_SAMPLES, add, &graph);
	add_idle(measured, &graph);
	graph_sort(&graph, "total");
	profile_take(profile, &graph, NULL, NULL);
	graph_free(&graph);
}
