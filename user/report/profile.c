// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "report/json.h"
#include "report/json_write.h"
#include "report/layout.h"
#include "report/number_names.h"
#include "report/profile.h"
#include "report/sample_event.h"
#include "report/stack_frames.h"
#include "report/stack_table.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/out.h"

enum { MODE, FUNCTION };

/* --- functions -------------------------------------------------------------- */

/* A function of the kernel, or of programs, and its row. */
struct known {
	char *name;		/* with the mode in front */
	size_t row;
	size_t last;		/* number of the last stack that it was on, + 1 */
	UT_hash_handle hh;
};

struct adding {
	struct table *to;
	struct known *known;
	size_t stack;		/* number of the current stack */
};

static struct known *find(struct adding *adding, const char *mode, const char *function)
{
	char *name = mem_format("%s %s", mode, function);
	struct known *known;
	struct row *row;

	HASH_FIND_STR(adding->known, name, known);
	if (known) {
		free(name);
		return known;
	}
	row = table_add(adding->to);
	row->keys[MODE].text = mode;
	row->keys[FUNCTION].text = function;
	known = mem_alloc(sizeof(*known));
	known->name = name;
	known->row = row - adding->to->rows;
	HASH_ADD_KEYPTR(hh, adding->known, known->name, strlen(known->name), known);
	return known;
}

/* A function that is on the stack more than once counts once. */
static void add_function(struct adding *adding, const char *mode, const char *function,
			 const uint64_t *from, bool is_innermost)
{
	struct known *known = find(adding, mode, function);
	uint64_t *to = adding->to->rows[known->row].parts->figures;

	if (is_innermost) {
		to[FIG_ENTRIES] += from[FIG_CALLS];
		to[FIG_SELF] += from[FIG_TOTAL];
	}
	if (known->last == adding->stack + 1)
		return;
	known->last = adding->stack + 1;
	to[FIG_CALLS] += from[FIG_CALLS];
	to[FIG_TOTAL] += from[FIG_TOTAL];
}

static void add_stack(struct adding *adding, const struct row *row)
{
	const struct stack *stack = stack_row_stack(row);
	const char *kernel = profile_mode(KTRACE_PROFILE_KERNEL);
	const char *user = profile_mode(KTRACE_PROFILE_USER);
	size_t i;

	for (i = 0; stack && i < stack->nr; i++)
		add_function(adding, i < stack->nr_kernel ? kernel : user, stack->frames[i],
			     row->parts->figures, !i);
	if (!stack || !stack->nr)
		add_function(adding, stack_row_kind(row), "[no stack]", row->parts->figures, true);
}

static uint32_t mode_of(const struct row *row)
{
	uint32_t mode = 0;

	while (mode < KTRACE_PROFILE_IDLE && strcmp(stack_row_kind(row), profile_mode(mode)))
		mode++;
	return mode;
}

static void add_up(struct profile *profile)
{
	struct adding adding = { .to = &profile->functions };
	const struct table *stacks = &profile->stacks;
	struct known *known, *next;
	struct row *row;
	uint64_t *all;
	uint32_t mode;

	profile->functions.total.parts = mem_alloc(sizeof(struct row_part));
	all = profile->functions.total.parts->figures;
	for (row = stacks->rows; row < stacks->rows + stacks->nr; row++, adding.stack++) {
		mode = mode_of(row);
		profile->modes[mode] += row->parts->figures[FIG_CALLS];
		if (mode == KTRACE_PROFILE_IDLE)
			continue;
		all[FIG_CALLS] += row->parts->figures[FIG_CALLS];
		all[FIG_TOTAL] += row->parts->figures[FIG_TOTAL];
		add_stack(&adding, row);
	}
	all[FIG_ENTRIES] = all[FIG_CALLS];
	all[FIG_SELF] = all[FIG_TOTAL];
	HASH_ITER(hh, adding.known, known, next) {
		HASH_DEL(adding.known, known);
		free(known->name);
		free(known);
	}
}

int profile_read(struct profile *profile, struct ktr *ktr, uint32_t read_flags)
{
	int error;

	table_init(&profile->functions, &profile_functions);
	error = stack_table_read_samples(&profile->stacks, ktr, profile->session, read_flags,
					 profile->texts);
	if (profile->session->has_event) {
		profile->functions.flags |= STACKS_OF_EVENTS;
		profile->stacks.flags |= STACKS_OF_EVENTS;
	}
	if (!error)
		add_up(profile);
	return error;
}

void profile_take(struct profile *profile, const struct graph *graph)
{
	table_init(&profile->functions, &profile_functions);
	stack_table_take_samples(&profile->stacks, graph, profile->texts);
	add_up(profile);
}

void profile_free(struct profile *profile)
{
	table_free(&profile->functions);
	table_free(&profile->stacks);
}

/* --- the table -------------------------------------------------------------- */

static const struct key_kind keys[] = {
	[MODE] = { "mode", key_by_text, .width = 6, .is_left = true },
	[FUNCTION] = { "function", key_by_text, .is_left = true },
};

static const struct column columns[] = {
	FIGURE(SELF, .unless = STACKS_OF_EVENTS),
	FIGURE(SELF, .is_hidden = true, .when = STACKS_OF_EVENTS),
	FIGURE(SELF_OF_ALL, .title = "SELF", .unit = "%", .width = 6),
	FIGURE(TOTAL_OF_ALL, .title = "TOTAL", .unit = "%", .width = 6),
	NAMED(ENTRIES, "SAMPLES", .sort = "samples", .drop = 1),
	FIGURE(TOTAL, .is_hidden = true),
	{ .key = MODE, .indent = 1 }, { .key = FUNCTION, .is_cut = true },
};

static const struct column members[] = {
	{ .key = FUNCTION }, { .key = MODE }, NAMED(ENTRIES, "self_samples"),
	NAMED(CALLS, "total_samples"),
	FIGURE(SELF, .unless = STACKS_OF_EVENTS), FIGURE(TOTAL, .unless = STACKS_OF_EVENTS),
	NAMED(SELF, "self_events", .when = STACKS_OF_EVENTS),
	NAMED(TOTAL, "total_events", .when = STACKS_OF_EVENTS),
};

static const struct layout screen = {
	COLUMNS(columns), .is_upper = true, .tie = FIG_TOTAL, .empty = "No sample was counted.",
};
static const struct layout json = { COLUMNS(members) };

const struct table_kind profile_functions = {
	.keys = keys, .nr_keys = 2, .screens = { &screen }, .json = &json,
};

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * part / all : 0;
}

static uint64_t nr_samples(const struct profile *profile)
{
	return profile->modes[KTRACE_PROFILE_USER] + profile->modes[KTRACE_PROFILE_KERNEL] +
	       profile->modes[KTRACE_PROFILE_IDLE];
}

/* Samples of other modes were not asked for. Of chosen processes there are no idle ones. */
static bool has_mode(const struct profile *profile, uint32_t mode)
{
	uint32_t flags = profile->session->flags;

	if (flags & (KTRACE_F_ONLY_USER | KTRACE_F_ONLY_KERNEL))
		return mode == (flags & KTRACE_F_ONLY_USER ? KTRACE_PROFILE_USER :
							     KTRACE_PROFILE_KERNEL);
	return mode != KTRACE_PROFILE_IDLE || profile->modes[mode];
}

static void print_source(FILE *out, const struct ktr_session *session)
{
	if (session->has_event && session->event.period)
		out_put(out, " of %s, one per %llu:", sample_event_name(&session->event),
			(unsigned long long)session->event.period);
	else if (session->has_event)
		out_put(out, " of %s, about %u per second and CPU:",
			sample_event_name(&session->event), session->frequency);
	else
		out_put(out, ", %u per second and CPU:", session->frequency);
}

static void print_modes(FILE *out, const struct profile *profile)
{
	uint64_t all = nr_samples(profile);
	const char *before = "";
	uint32_t mode;

	out_put(out, "%llu samples", (unsigned long long)all);
	print_source(out, profile->session);
	for (mode = 0; mode < KTRACE_NR_PROFILE; mode++) {
		if (!has_mode(profile, mode))
			continue;
		out_put(out, "%s %s %.2f %%", before, profile_mode(mode),
			percent(profile->modes[mode], all));
		before = ",";
	}
	fputs("\n\n", out);
}

/* Returns how many samples have a stack that was cut. */
static uint64_t nr_cut(const struct profile *profile)
{
	const struct table *stacks = &profile->stacks;
	const struct stack *stack;
	const struct row *row;
	uint64_t nr = 0;

	for (row = stacks->rows; row < stacks->rows + stacks->nr; row++) {
		stack = stack_row_stack(row);
		if (stack && (stack_end(stack, true) || stack_end(stack, false)))
			nr += row->parts->figures[FIG_CALLS];
	}
	return nr;
}

void profile_print(FILE *out, const struct profile *profile)
{
	uint64_t nr = nr_samples(profile), cut = nr_cut(profile);

	if (nr)
		print_modes(out, profile);
	table_print(out, &profile->functions);
	if (nr && profile->session->has_event)
		fputs("\nShares are of the counted events, not of the time.", out);
	if (nr)
		out_put(out, "\nStacks of programs were found by frame pointers, which some code does not have.\n");
	if (cut)
		out_put(out, "%llu samples have a stack that is cut.\n", (unsigned long long)cut);
}

/* --- JSON ------------------------------------------------------------------- */

static struct json_object *samples_of(const struct profile *profile)
{
	struct json_object *to = json_object_new_object();
	uint32_t mode;

	json_add_u64(to, "frequency", profile->session->frequency);
	if (profile->session->has_event) {
		json_add_text(to, "event", sample_event_name(&profile->session->event));
		json_add_u64(to, "period", profile->session->event.period);
	}
	for (mode = 0; mode < KTRACE_NR_PROFILE; mode++)
		if (has_mode(profile, mode))
			json_add_u64(to, profile_mode(mode), profile->modes[mode]);
	json_add_u64(to, "excluded", profile->excluded);
	json_add_u64(to, "missed", profile->missed);
	json_add_u64(to, "cut", nr_cut(profile));
	json_add_text(to, "unwind", "frame pointers");
	return to;
}

struct json_object *profile_document(const struct profile *profile)
{
	const struct json_table tables[] = {
		{ "rows", &profile->functions }, { "stacks", &profile->stacks },
	};
	struct json_object *document = tables_document(profile->session, tables, 2);

	json_add(document, "samples", samples_of(profile));
	return document;
}
