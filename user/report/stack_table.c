// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "report/graph.h"
#include "report/layout.h"
#include "report/number_names.h"
#include "report/sched_table.h"
#include "report/stack_frames.h"
#include "report/stack_table.h"
#include "util/mem.h"
#include "util/out.h"

/*
 * Keys: the task's name; the kind of period, such as "sleep", or the function; the stack, whose
 * number is that of the first frame to show.
 */
enum { COMM, KIND, STACK };

static int compare_numbers(size_t x, size_t y)
{
	return x < y ? -1 : x > y;
}

static int compare_stacks(const struct row_key *a, const struct row_key *b)
{
	const struct stack *x = a->object, *y = b->object;
	size_t i;
	int order;

	if (x == y || !x || !y)
		return x == y ? 0 : x ? 1 : -1;
	order = compare_numbers(x->nr - a->number, y->nr - b->number);
	if (!order)
		order = compare_numbers(x->nr_kernel - a->number, y->nr_kernel - b->number);
	for (i = a->number; !order && i < x->nr; i++)
		order = strcmp(x->frames[i], y->frames[i - a->number + b->number]);
	return order ? order : compare_numbers(x->flags, y->flags);
}

/* --- reading ---------------------------------------------------------------- */

struct reading {
	struct table *table;
	const struct table *threads;	/* of periods, as sched_read() fills it */
	const struct names *names;	/* of calls */
	const struct stacks *stacks;
	uint32_t flags;			/* of the table */
	unsigned int depth;		/* depth of the nodes that have stacks as children */
	bool is_in;			/* the nodes below belong to a row */
	size_t rest;			/* index of the row for figures without a stack */
};

static bool is_off_cpu(uint32_t what)
{
	return what >= KTRACE_SCHED_PREEMPTED && what <= KTRACE_SCHED_STOPPED;
}

static bool has_calls(const struct row *row)
{
	return row->parts->figures[FIG_CALLS];
}

static struct row *add(struct table *table, const char *comm, const char *kind,
		       const struct stack *stack)
{
	struct row *row = table_add(table);

	row->keys[COMM].text = comm;
	row->keys[COMM].is_none = !comm;
	row->keys[KIND].text = kind;
	row->keys[STACK].object = stack;
	row->keys[STACK].is_none = !stack;
	return row;
}

static const char *kind_of(const struct reading *reading, uint32_t func)
{
	if (reading->flags & STACKS_OF_CALLS)
		return names_get(reading->names, func);
	return reading->flags & STACKS_OF_SAMPLES ? profile_mode(func) : sched_kind(func);
}

static void take_rest(struct reading *reading, const struct ktrace_node *node, uint32_t tid)
{
	bool is_of_tasks = reading->depth;
	struct row *row;

	reading->is_in = !is_of_tasks || is_off_cpu(node->func);
	if (!reading->is_in)
		return;
	row = add(reading->table, is_of_tasks ? sched_comm(reading->threads, tid) : NULL,
		  kind_of(reading, node->func), NULL);
	part_read_node(row->parts, node);
	reading->rest = reading->table->nr - 1;
}

static void take_stack(struct reading *reading, const struct ktrace_node *node)
{
	const struct stack *stack = stacks_get(reading->stacks, node->func);
	struct row *rest = &reading->table->rows[reading->rest], *row;
	uint64_t *left = rest->parts->figures;
	const char *kind = rest->keys[KIND].text;

	if (!stack || node->calls > left[FIG_CALLS] || node->total_ns > left[FIG_TOTAL])
		return;
	left[FIG_CALLS] -= node->calls;
	left[FIG_TOTAL] -= node->total_ns;
	row = add(reading->table, stack->comm, kind, stack);
	part_read_node(row->parts, node);
	if (reading->depth)
		row->parts->figures[FIG_MAX] = node->self_ns;
	else if (reading->flags & STACKS_OF_CALLS)
		row->keys[STACK].number = stack_first(stack, kind);
}

static void take(void *arg, const struct ktrace_node *node, const uint32_t *path,
		 unsigned int depth)
{
	struct reading *reading = arg;

	if (depth < reading->depth)
		reading->is_in = false;
	else if (depth == reading->depth)
		take_rest(reading, node, path[0]);
	else if (reading->is_in)
		take_stack(reading, node);
}

/* --- the table -------------------------------------------------------------- */

static void print_stack(FILE *out, const struct table *table, const struct row *row)
{
	(void)table;
	stack_print(out, row->keys[STACK].object, row->keys[STACK].number);
	fputc('\n', out);
}

static void add_stack(struct json_object *to, const struct row_key *key)
{
	stack_add_json(to, key->object, key->number);
}

/* Tasks with the same name and the same stack share a row. */
static const struct key_kind keys[] = {
	[COMM] = { "comm", key_by_text, .width = 15, .is_left = true },
	[KIND] = { "kind", key_by_text, .is_left = true },
	[STACK] = { "stack", compare_stacks, .add = add_stack },
};

static const struct column columns[] = {
	NAMED(TOTAL, "OFF CPU", .sort = "total", .unless = STACKS_OF_CALLS),
	NAMED(TOTAL, "TIME", .sort = "total", .when = STACKS_OF_CALLS),
	FIGURE(TOTAL_OF_ALL, .unit = "%", .width = 7), NAMED(CALLS, "COUNT"), FIGURE(AVG),
	FIGURE(MAX, .needs = FIG_MAX, .none = "-", .unless = STACKS_OF_CALLS),
	{ .key = COMM, .none = "-", .is_of_total = true },
	{ .key = KIND, .title = "HOW", .unless = STACKS_OF_CALLS },
	{ .key = KIND, .title = "FUNCTION", .when = STACKS_OF_CALLS },
};

static const struct column members[] = {
	{ .key = COMM }, { .key = KIND, .title = "name", .when = STACKS_OF_CALLS },
	{ .key = KIND, .unless = STACKS_OF_CALLS }, NAMED(CALLS, "count"),
	FIGURE(TOTAL, .unless = STACKS_OF_EVENTS),
	NAMED(TOTAL, "events", .when = STACKS_OF_EVENTS),
	FIGURE(MAX, .needs = FIG_MAX), { .key = STACK },
};

static const struct layout screen = {
	COLUMNS(columns), .is_upper = true, .has_total = true, .detail = print_stack,
};
static const struct layout json = { COLUMNS(members) };

const struct table_kind stacks_kind = {
	.keys = keys, .nr_keys = 3, .screens = { &screen }, .json = &json,
};

static void begin(struct table *table, uint32_t flags)
{
	table_init(table, &stacks_kind);
	table->flags = flags;
}

static void finish(struct table *table)
{
	table_keep(table, has_calls);
	table_unite(table);
	table_sort(table, "total");
}

void stack_table_take(struct table *table, const struct graph *graph,
		      const struct table *threads, const struct stacks *stacks)
{
	struct reading reading = { .table = table, .threads = threads, .stacks = stacks, .depth = 1 };

	begin(table, 0);
	graph_walk(graph, take, &reading);
	finish(table);
}

void stack_table_add_waits(struct table *table, const struct table *threads)
{
	const char *kind = sched_kind(KTRACE_SCHED_WAKEUP);
	const struct row *thread;
	struct row *row;

	for (thread = threads->rows; thread < threads->rows + threads->nr; thread++) {
		row = add(table, thread->keys[SCHED_COMM].text, kind, NULL);
		memcpy(row->parts->figures, thread->parts[KTRACE_SCHED_WAKEUP].figures,
		       sizeof(row->parts->figures));
	}
	finish(table);
}

int stack_table_read(struct table *table, struct ktr *ktr, const struct ktr_session *session,
		     uint32_t read_flags, const struct table *threads,
		     const struct stacks *stacks)
{
	struct reading reading = { .table = table, .threads = threads, .stacks = stacks, .depth = 1 };
	int error;

	begin(table, 0);
	error = graph_each(ktr, session->id, read_flags, take, &reading);
	finish(table);
	return error;
}

void stack_table_take_samples(struct table *table, const struct graph *graph,
			      const struct stacks *stacks)
{
	struct reading reading = { .table = table, .stacks = stacks, .flags = STACKS_OF_SAMPLES };

	begin(table, STACKS_OF_SAMPLES);
	graph_walk(graph, take, &reading);
	finish(table);
}

int stack_table_read_calls(struct table *table, struct ktr *ktr, const struct ktr_session *session,
			   uint32_t read_flags, const struct names *names,
			   const struct stacks *stacks)
{
	struct reading reading = {
		.table = table, .names = names, .stacks = stacks, .flags = STACKS_OF_CALLS,
	};
	int error;

	begin(table, STACKS_OF_CALLS);
	error = graph_each(ktr, session->id, read_flags, take, &reading);
	finish(table);
	return error;
}

int stack_table_read_samples(struct table *table, struct ktr *ktr,
			     const struct ktr_session *session, uint32_t read_flags,
			     const struct stacks *stacks)
{
	struct reading reading = { .table = table, .stacks = stacks, .flags = STACKS_OF_SAMPLES };
	int error;

	begin(table, STACKS_OF_SAMPLES);
	error = graph_each(ktr, session->id, read_flags, take, &reading);
	finish(table);
	return error;
}

const char *stack_row_kind(const struct row *row)
{
	return row->keys[KIND].text;
}

const struct stack *stack_row_stack(const struct row *row)
{
	return row->keys[STACK].object;
}

void stack_table_print(FILE *out, const struct table *table)
{
	if (table->nr)
		table_print(out, table);
	else
		out_put(out, table->flags & STACKS_OF_CALLS ? "No call was counted.\n" :
			"No period off a CPU was counted.\n");
}

static void add_sample_path(struct paths *paths, const struct row *row)
{
	const struct row_key *keys = row->keys;
	const struct stack *stack = keys[STACK].object;
	size_t path;

	if (!stack && !strcmp(keys[KIND].text, profile_mode(KTRACE_PROFILE_IDLE)))
		return;
	path = paths_child(paths, PATHS_ROOT, keys[COMM].is_none ? "-" : keys[COMM].text);
	path = stack && stack->nr ? stack_add_path(paths, path, stack, 0) :
	       paths_child(paths, path, "[no stack]");
	paths_count(paths, path, row->parts->figures[FIG_CALLS], row->parts->figures[FIG_TOTAL]);
}

/* kind: how the kind ends the path */
static void add_path(struct paths *paths, const struct row *row, const char *kind)
{
	const struct row_key *keys = row->keys;
	size_t path = paths_child(paths, PATHS_ROOT, keys[COMM].is_none ? "-" : keys[COMM].text);

	if (keys[STACK].object)
		path = stack_add_path(paths, path, keys[STACK].object, keys[STACK].number);
	path = paths_child(paths, path, kind);
	paths_count(paths, path, row->parts->figures[FIG_CALLS], row->parts->figures[FIG_TOTAL]);
}

/* format: of the kinds of periods */
static void add_paths(struct paths *paths, const struct table *table, const char *format)
{
	const struct row *row;
	char *kind;

	for (row = table->rows; row < table->rows + table->nr; row++) {
		if (table->flags & STACKS_OF_SAMPLES) {
			add_sample_path(paths, row);
			continue;
		}
		kind = table->flags & STACKS_OF_CALLS ? mem_string(stack_row_kind(row)) :
		       mem_format(format, stack_row_kind(row));
		add_path(paths, row, kind);
		free(kind);
	}
}

void stack_table_paths(struct paths *paths, const struct table *table)
{
	memset(paths, 0, sizeof(*paths));
	add_paths(paths, table, "[%s]");
	paths_settle(paths);
}

void stack_table_paths_joined(struct paths *paths, const struct table *samples,
			      const struct table *periods)
{
	memset(paths, 0, sizeof(*paths));
	paths->counted = periods->nr ? "COUNT" : "SAMPLES";
	add_paths(paths, samples, NULL);
	add_paths(paths, periods, PATHS_OFF_CPU "%s]");
	paths_settle(paths);
}
