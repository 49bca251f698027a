// SPDX-License-Identifier: GPL-2.0
/* The records of one session, and the tree of its calls. The tables are in measured_tables.c. */
#include <stdlib.h>
#include <string.h>

#include "keep/grouped.h"
#include "keep/measured_parts.h"
#include "report/paths.h"
#include "session/event.h"
#include "util/mem.h"

/* --- records -------------------------------------------------------------------- */

struct measured *measured_create(const struct recording *recording, struct kept_session *session,
				 const struct filter *filter)
{
	struct measured *measured = mem_alloc(sizeof(*measured));

	measured->recording = recording;
	measured->session = session;
	measured->filter = filter;
	measured->calls = calls_create(recording, session, filter);
	measured->tallies = tallies_create();
	return measured;
}

void measured_free(struct measured *measured)
{
	if (!measured)
		return;
	calls_free(measured->calls);
	grouped_free(measured->grouped);
	tallies_free(measured->tallies);
	free(measured->recursion.totals);
	free(measured);
}

static void take_syscall(struct measured *measured, const struct ktr_record *event)
{
	const struct ktrace_syscall_record *call = (const void *)event->payload;
	bool is_whole = event->nr_payload >= sizeof(*call) / sizeof(uint64_t);
	int64_t ret = is_whole ? call->ret : 0;
	struct tally *tally;

	tally = tallies_get(measured->tallies, MEASURED_SYSCALLS, event->func, 0, 0);
	if (!tally)
		return;
	sums_add(&tally->sums, event->duration);
	if (ret >= 0 || ret < -MAX_ERRNO)
		return;
	tally->sums.errors++;
	tally = tallies_get(measured->tallies, MEASURED_ERRORS, event->func, -ret, 0);
	if (tally)
		sums_add(&tally->sums, event->duration);
}

/* A period counts for its thread, and for all threads. */
static void take_period(struct measured *measured, const struct ktr_record *event)
{
	struct tally *tally;

	if (event->func >= KTRACE_NR_SCHED)
		return;
	tally = tallies_get(measured->tallies, MEASURED_PERIODS, event->tid, 0, event->func);
	if (tally) {
		sums_add(&tally->sums, event->duration);
		if (event->nr_payload >= 2)
			memcpy(tally->comm, event->payload, sizeof(tally->comm) - 1);
	}
	tally = tallies_get(measured->tallies, MEASURED_ALL_PERIODS, 0, 0, event->func);
	if (tally)
		sums_add(&tally->sums, event->duration);
}

static void add_stage(struct measured *measured, const struct ktrace_request_record *request,
		      uint32_t op, uint32_t stage, uint64_t ns)
{
	struct tally *tally = tallies_get(measured->tallies, MEASURED_REQUESTS, request->dev, op,
					  stage);

	if (!tally)
		return;
	sums_add(&tally->sums, ns);
	tally->sums.bytes += request->bytes;
	tally->sums.errors += request->error != 0;
}

static void take_request(struct measured *measured, const struct ktr_record *event)
{
	const struct ktrace_request_record *request = (const void *)event->payload;
	uint32_t op = KTRACE_BLOCK_OP(event->func), stage;

	if (event->nr_payload < sizeof(*request) / sizeof(uint64_t))
		return;
	for (stage = 0; stage < KTRACE_REQUEST_STAGES; stage++)
		if (request->stages & 1 << stage)
			add_stage(measured, request, op, stage, request->stage_ns[stage]);
	add_stage(measured, request, op, KTRACE_BLOCK_Q2C, event->duration);
}

static void take_kernel(struct measured *measured, const struct ktr_record *event)
{
	const struct ktrace_call_record *call = (const void *)event->payload;
	bool is_whole = event->nr_payload >= sizeof(*call) / sizeof(uint64_t);
	struct tally *tally;

	tally = tallies_get(measured->tallies, MEASURED_KERNEL, event->func, 0, 0);
	if (!tally)
		return;
	sums_add(&tally->sums, event->duration);
	tally->sums.errors += is_whole && call->ret < 0 && call->ret >= -MAX_ERRNO &&
			      names_is_fallible(&measured->session->names, event->func);
}

static void take_fault(struct measured *measured, const struct ktr_record *event)
{
	const struct ktrace_fault_record *fault = (const void *)event->payload;
	bool is_whole = event->nr_payload >= sizeof(*fault) / sizeof(uint64_t);
	struct tally *tally;

	if (event->func >= KTRACE_NR_FAULTS)
		return;
	tally = tallies_get(measured->tallies, MEASURED_FAULTS, event->func, 0, 0);
	if (!tally)
		return;
	sums_add(&tally->sums, event->duration);
	tally->sums.errors += is_whole && fault->error;
}

static const struct {
	enum event_id id;
	enum measured_kind kind;
	void (*take)(struct measured *measured, const struct ktr_record *event);
} complete[] = {
	{ EVENT_SYSCALL, MEASURED_SYSCALLS, take_syscall },
	{ EVENT_REQUEST, MEASURED_REQUESTS, take_request },
	{ EVENT_CALL, MEASURED_KERNEL, take_kernel },
	{ EVENT_PERIOD, MEASURED_PERIODS, take_period },
	{ EVENT_FAULT, MEASURED_FAULTS, take_fault },
	{ EVENT_SAMPLE, MEASURED_SAMPLES, measured_take_sample },
};

static void take_complete(struct measured *measured, const struct packets *packets)
{
	struct ktr_record event;
	size_t i;

	if (!merged_record(packets, &event) ||
	    !filter_event(measured->filter, measured->recording, measured->session, &event))
		return;
	for (i = 0; i < sizeof(complete) / sizeof(*complete); i++) {
		if (complete[i].id != event.id)
			continue;
		measured->has_kind[complete[i].kind] = true;
		if (measured_has_stacks(measured))
			measured_take_stack(measured, &event);
		if (measured->grouped)
			grouped_take(measured->grouped, &event);
		else
			complete[i].take(measured, &event);
		return;
	}
	measured->session->nr_unknown++;
}

void measured_take(struct measured *measured, const struct packets *packets)
{
	if (!measured->last)
		measured->first = packets->time;
	measured->last = packets->time;
	if (packets->record && packets->record->id >= KTRACE_REC_SYSCALL) {
		take_complete(measured, packets);
		return;
	}
	/* Every kind of session has records of tasks that exit. */
	measured->has_kind[MEASURED_CALLS] |= packets->record &&
		(packets->record->id == KTRACE_REC_ENTRY || packets->record->id == KTRACE_REC_EXIT);
	calls_take(measured->calls, packets);
}

enum measured_kind measured_kind(const struct measured *measured)
{
	enum measured_kind kind;

	for (kind = 0; kind < MEASURED_NR; kind++)
		if (measured->has_kind[kind])
			return kind;
	switch (measured->session->is.provider) {
	case KTRACE_PROVIDER_SYSCALLS:
		return MEASURED_SYSCALLS;
	case KTRACE_PROVIDER_SCHED:
		return MEASURED_PERIODS;
	case KTRACE_PROVIDER_BLOCK:
		return MEASURED_REQUESTS;
	case KTRACE_PROVIDER_KERNEL:
		return MEASURED_KERNEL;
	case KTRACE_PROVIDER_FAULT:
		return MEASURED_FAULTS;
	case KTRACE_PROVIDER_PROFILE:
		return MEASURED_SAMPLES;
	default:
		return MEASURED_CALLS;
	}
}

bool measured_is_empty(const struct measured *measured)
{
	const struct func_sums *funcs;
	uint32_t nr, func;

	funcs = calls_functions(measured->calls, &nr);
	for (func = 0; func < nr; func++)
		if (funcs[func].entries || funcs[func].sums.calls || funcs[func].bound_calls)
			return false;
	return tallies_are_empty(measured->tallies) &&
	       (!measured->grouped || grouped_is_empty(measured->grouped));
}

/* --- the tree ------------------------------------------------------------------- */

/* Steps through all nodes, callers first; leave tells that all callees of the node were seen. */
struct walk_step {
	const struct node *node;
	uint32_t parent;
	bool is_left;
};

struct walk {
	struct walk_step *steps;
	size_t nr, room;
};

static void push(struct walk *walk, const struct node *node, uint32_t parent, bool is_left)
{
	if (walk->nr == walk->room) {
		walk->room = walk->room ? 2 * walk->room : 256;
		walk->steps = mem_resize(walk->steps, walk->room * sizeof(*walk->steps));
	}
	walk->steps[walk->nr++] = (struct walk_step){ node, parent, is_left };
}

static void push_all(struct walk *walk, const struct forest *forest, uint32_t parent)
{
	const struct node *node;

	for (node = forest->first; node; node = node->next)
		push(walk, node, parent, false);
}

/* Returns the number above all functions that were called. */
static uint32_t nr_called(const struct measured *measured)
{
	const struct func_sums *funcs;
	uint32_t nr, number, func, above = 0;

	funcs = calls_functions(measured->calls, &nr);
	for (number = 0; number < nr; number++) {
		func = calls_function(measured->calls, number);
		if (funcs[number].choice && func != UINT32_MAX && func >= above)
			above = func + 1;
	}
	return above;
}

/* Functions that were called have names, at least their numbers. */
static void name_functions(struct measured *measured, uint32_t above)
{
	struct recording *recording = (struct recording *)measured->recording;
	struct kept_session *session = measured->session;
	const struct func_sums *funcs;
	uint32_t nr, number, func;

	if (!kept_names_room(recording, session, above + 1))
		return;
	funcs = calls_functions(measured->calls, &nr);
	for (number = 0; number < nr; number++) {
		func = calls_function(measured->calls, number);
		if (funcs[number].choice && func < above)
			kept_name_function(session, func);
	}
	while (session->names.texts[above] && kept_names_room(recording, session, above + 2))
		above++;
	session->names.texts[above] = mem_string(CALLS_NO_CALLER_NAME);
	measured->no_caller = above;
}

/* The time of a recursive call is part of that of the outermost one. */
static void sum_up(struct measured *measured, uint32_t nr_funcs)
{
	uint32_t nr, number, func, *nr_open;
	struct func_total *total;
	struct walk walk = { .nr = 0 };
	struct walk_step step;

	calls_functions(measured->calls, &nr);
	measured->recursion.totals = mem_alloc((nr + 1) * sizeof(*total));
	nr_open = mem_alloc((nr_funcs + 1) * sizeof(*nr_open));
	push_all(&walk, calls_forest(measured->calls), 0);
	while (walk.nr) {
		step = walk.steps[--walk.nr];
		number = step.node->func;
		func = number < nr ? calls_function(measured->calls, number) : UINT32_MAX;
		if (func >= nr_funcs) {
			push_all(&walk, &step.node->callees, 0);
			continue;
		}
		if (step.is_left) {
			nr_open[func]--;
			continue;
		}
		total = &measured->recursion.totals[number];
		if (!nr_open[func]++) {
			total->total_ns += step.node->total_ns;
			total->bound_ns += step.node->bound_ns;
		}
		push(&walk, step.node, 0, true);
		push_all(&walk, &step.node->callees, 0);
	}
	free(walk.steps);
	free(nr_open);
}

void measured_finish(struct measured *measured)
{
	struct kept_session *session = measured->session;
	uint32_t above;

	calls_finish(measured->calls);
	above = nr_called(measured);
	name_functions(measured, above);
	sum_up(measured, above);
	if (!session->has_end && measured->last > session->is.now.monotonic)
		session->is.now.monotonic = measured->last;
}

static void add_node(struct ktrace_node **nodes, size_t *nr, size_t *room,
		     const struct ktrace_node *node)
{
	if (*nr == *room) {
		*room = *room ? 2 * *room : 256;
		*nodes = mem_resize(*nodes, *room * sizeof(**nodes));
	}
	(*nodes)[(*nr)++] = *node;
}

/* Calls that ended unseen are a node of their own, as in the module. */
static void add_bound(struct graph *graph, size_t *room, const struct ktrace_node *node,
		      const struct node *from)
{
	struct ktrace_node bound = *node;

	if (!from->bound_calls)
		return;
	bound.marks |= KTRACE_NODE_AT_MOST;
	bound.calls = from->bound_calls;
	bound.total_ns = from->bound_ns;
	bound.self_ns = from->bound_self_ns;
	add_node(&graph->bounds, &graph->nr_bounds, room, &bound);
}

static void add_full(const struct measured *measured, struct graph *graph, size_t *room, uint32_t id)
{
	struct ktrace_node full = {
		.node = id, .parent = KTRACE_NODE_ROOT, .func = KTRACE_FUNC_FULL,
		.calls = calls_remarks(measured->calls)->nr_full,
	};

	if (full.calls)
		add_node(&graph->nodes, &graph->nr, room, &full);
}

void measured_graph(const struct measured *measured, struct graph *graph)
{
	size_t room = 0, bounds_room = 0;
	struct walk walk = { .nr = 0 };
	struct ktrace_node node;
	struct walk_step step;
	uint32_t id = 0;

	memset(graph, 0, sizeof(*graph));
	push_all(&walk, calls_forest(measured->calls), KTRACE_NODE_ROOT);
	for (; walk.nr; id++) {
		step = walk.steps[--walk.nr];
		node = (struct ktrace_node){
			.node = id, .parent = step.parent, .func = step.node->func,
			.marks = step.node->has_tail ? KTRACE_NODE_TAIL : 0,
			.calls = step.node->calls, .total_ns = step.node->total_ns,
			.self_ns = step.node->self_ns,
		};
		if (node.func == CALLS_NO_CALLER)
			node.func = measured->no_caller;
		add_node(&graph->nodes, &graph->nr, &room, &node);
		add_bound(graph, &bounds_room, &node, step.node);
		push_all(&walk, &step.node->callees, id);
	}
	add_full(measured, graph, &room, id);
	free(walk.steps);
	graph_settle(graph);
	graph_sort(graph, "total");
}

void measured_paths(const struct measured *measured, struct paths *paths)
{
	struct graph graph;

	measured_graph(measured, &graph);
	paths_take_graph(paths, &graph, &measured->session->names);
	graph_free(&graph);
}
