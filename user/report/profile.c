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
#include "report/sched_table.h"
#include "report/stack_frames.h"
#include "report/stack_table.h"
#include "util/fmt.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/out.h"

enum { MODE, FUNCTION };

static const char off_cpu[] = "off";	/* the mode of what is no sample */

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

/* Periods are no samples: only their time counts. The kind is the innermost function. */
static void add_period(struct adding *adding, const struct row *row)
{
	const uint64_t figures[NR_FIGURES] = { [FIG_TOTAL] = row->parts->figures[FIG_TOTAL] };
	const struct stack *stack = stack_row_stack(row);
	const char *kind = table_text(adding->to, "[%s]", stack_row_kind(row));
	size_t i;

	add_function(adding, off_cpu, kind, figures, true);
	for (i = 0; stack && i < stack->nr; i++)
		add_function(adding, off_cpu, stack->frames[i], figures, false);
	adding->to->total.parts->figures[FIG_TOTAL] += figures[FIG_TOTAL];
}

static void add_periods(const struct profile *profile, struct adding *adding)
{
	const struct table *periods = &profile->periods;
	const struct row *row;

	for (row = periods->rows; row < periods->rows + periods->nr; row++, adding->stack++)
		add_period(adding, row);
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
	add_periods(profile, &adding);
	all[FIG_ENTRIES] = all[FIG_CALLS];
	all[FIG_SELF] = all[FIG_TOTAL];
	HASH_ITER(hh, adding.known, known, next) {
		HASH_DEL(adding.known, known);
		free(known->name);
		free(known);
	}
}

static int read_periods(struct profile *profile, struct ktr *ktr, uint32_t read_flags)
{
	int error = sched_read(&profile->threads, ktr, profile->off_session, read_flags);

	if (!error)
		error = stack_table_read(&profile->periods, ktr, profile->off_session, read_flags,
					 &profile->threads, profile->off_texts);
	if (!error)
		stack_table_add_waits(&profile->periods, &profile->threads);
	return error;
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
	if (!error && profile->off_session)
		error = read_periods(profile, ktr, read_flags);
	if (!error)
		add_up(profile);
	return error;
}

void profile_take(struct profile *profile, const struct graph *graph, const struct graph *periods,
		  struct table *threads)
{
	table_init(&profile->functions, &profile_functions);
	stack_table_take_samples(&profile->stacks, graph, profile->texts);
	if (profile->off_session) {
		profile->threads = *threads;
		stack_table_take(&profile->periods, periods, threads, profile->off_texts);
		stack_table_add_waits(&profile->periods, threads);
	}
	add_up(profile);
}

void profile_free(struct profile *profile)
{
	table_free(&profile->functions);
	table_free(&profile->stacks);
	table_free(&profile->periods);
	table_free(&profile->threads);
}

void profile_paths(struct paths *paths, const struct profile *profile)
{
	stack_table_paths_joined(paths, &profile->stacks, &profile->periods);
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
	{ .key = MODE, .indent = 1 }, { .key = FUNCTION, .is_cut = true, .is_function = true },
};

static const struct column members[] = {
	{ .key = FUNCTION }, { .key = MODE }, NAMED(ENTRIES, "self_samples"),
	NAMED(CALLS, "total_samples"),
	FIGURE(SELF, .unless = STACKS_OF_EVENTS), FIGURE(TOTAL, .unless = STACKS_OF_EVENTS),
	NAMED(SELF, "self_events", .when = STACKS_OF_EVENTS),
	NAMED(TOTAL, "total_events", .when = STACKS_OF_EVENTS),
};

static const struct layout screen = {
	COLUMNS(columns), .is_upper = true, .tie = FIG_TOTAL, .empty = "No sample of a busy CPU was counted.",
};
static const struct layout json = { COLUMNS(members) };

const struct table_kind profile_functions = {
	.keys = keys, .nr_keys = 2, .screens = { &screen }, .json = &json,
};

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
			fmt_percent(profile->modes[mode], all));
		before = ",";
	}
	fputs("\n", out);
}

static uint64_t time_off(const struct profile *profile, const char *kind)
{
	const struct table *periods = &profile->periods;
	const struct row *row;
	uint64_t ns = 0;

	for (row = periods->rows; row < periods->rows + periods->nr; row++)
		if (!kind || !strcmp(stack_row_kind(row), kind))
			ns += row->parts->figures[FIG_TOTAL];
	return ns;
}

/* "On a CPU: 1.00 s", and below it "Off a CPU: 3.00 s: sleep 75.0 %, disk 25.0 %" */
static void print_off_cpu(FILE *out, const struct profile *profile)
{
	uint64_t off = time_off(profile, NULL), ns;
	char text[FMT_LEN];
	const char *before = ":";
	uint32_t kind;

	fmt_plain(text, row_figure(&profile->functions.total, FIG_TOTAL, 1) - off);
	out_put(out, "On a CPU: %s\n", text);
	out_put(out, "Off a CPU: %s", fmt_plain(text, off));
	for (kind = 0; kind < KTRACE_NR_SCHED; kind++) {
		ns = time_off(profile, sched_kind(kind));
		if (!ns)
			continue;
		out_put(out, "%s %s %.1f %%", before, sched_kind(kind), fmt_percent(ns, off));
		before = ",";
	}
	fputs("\n", out);
}

static bool is_cut(const struct stack *stack)
{
	return stack_end(stack, true) || stack_end(stack, false);
}

static bool has_frame_pointers(const struct stack *stack)
{
	return stack->flags & KTRACE_STACK_USER_FP;
}

/* Returns how many samples have such a stack. */
static uint64_t count(const struct profile *profile, bool is_such(const struct stack *stack))
{
	const struct table *stacks = &profile->stacks;
	const struct stack *stack;
	const struct row *row;
	uint64_t nr = 0;

	for (row = stacks->rows; row < stacks->rows + stacks->nr; row++) {
		stack = stack_row_stack(row);
		if (stack && is_such(stack))
			nr += row->parts->figures[FIG_CALLS];
	}
	return nr;
}

static bool has_tables(const struct profile *profile)
{
	return profile->session->flags & KTRACE_F_UNWIND;
}

static void print_limits(FILE *out, const struct profile *profile)
{
	uint64_t cut = count(profile, is_cut), fp = count(profile, has_frame_pointers);

	if (!has_tables(profile))
		out_put(out, "Stacks of programs were found by frame pointers, which some code does not have.\n");
	if (fp)
		out_put(out, "%llu samples have frames that were found by frame pointers.\n",
			(unsigned long long)fp);
	if (cut)
		out_put(out, "%llu samples have a stack that is cut.\n", (unsigned long long)cut);
}

void profile_print(FILE *out, const struct profile *profile)
{
	uint64_t nr = nr_samples(profile);

	if (nr)
		print_modes(out, profile);
	if (profile->off_session)
		print_off_cpu(out, profile);
	if (nr || profile->off_session)
		fputc('\n', out);
	table_print(out, &profile->functions);
	if (nr || profile->off_session)
		fputc('\n', out);
	if (nr && profile->session->has_event)
		out_put(out, "Shares are of the counted events, not of the time.\n");
	if (nr)
		print_limits(out, profile);
	if (profile->off_session)
		out_put(out, "Time off a CPU is measured; what has not ended at the end is missing.\n");
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
	json_add_u64(to, "cut", count(profile, is_cut));
	json_add_text(to, "unwind", has_tables(profile) ? "tables" : "frame pointers");
	if (has_tables(profile))
		json_add_u64(to, "frame_pointers", count(profile, has_frame_pointers));
	return to;
}

struct json_object *profile_document(const struct profile *profile)
{
	const struct json_table tables[] = {
		{ "rows", &profile->functions }, { "stacks", &profile->stacks },
		{ "periods", profile->off_session ? &profile->periods : NULL },
		{ "threads", profile->off_session ? &profile->threads : NULL },
	};
	struct json_object *document = tables_document(profile->session, tables, 4);

	json_add(document, "samples", samples_of(profile));
	return document;
}

/* --- for a screen ------------------------------------------------------------- */

void profile_print_modes(FILE *out, const struct profile *profile)
{
	if (!nr_samples(profile))
		return;
	print_modes(out, profile);
	fputc('\n', out);
}
