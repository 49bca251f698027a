// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "cmd/trace_options.h"
#include "report/chosen.h"
#include "report/format.h"
#include "report/functions.h"

const struct orders trace_orders = {
	.own = { &functions_kind, .possible = FUNCTIONS_COUNT },
	.by = { &chosen_kind, CHOSEN_USER, CHOSEN_USER },
};

#define MAX_PERCENT (KTRACE_MAX_BUDGET / 10)

/* --count excludes these options. */
static int check_count(const struct trace *trace, struct err *err)
{
	const struct {
		bool is_given;
		const char *option, *why;
	} others[] = {
		{ trace->with_stream, "--stream", "records of calls" },
		{ trace->buffer, "--buffer", "records of calls" },
		{ trace->min_time, "--min-time", "times" },
		{ trace->max_depth, "--max-depth", "depths" },
		{ trace->below.nr, "--below", "depths" },
		{ trace->not_below.nr, "--not-below", "depths" },
		{ trace->values.nr, "--arg or --ret", "records of calls" },
		{ trace->how && strcmp(trace->how, "none"), "--return", "returns" },
		{ trace_has_table(trace), "--by", "the ends of calls" },
		{ trace->is_raw, "--with-probe-cost", "times" },
		{ trace->budget && trace->budget != TRACE_NO_BUDGET, "--budget", "times" },
		{ trace->format && !trace->format->has_functions, "this --format", "single calls" },
	};
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i].is_given)
			return err_set(err, "--count cannot be combined with %s, which needs %s; omit one of them.",
				       others[i].option, others[i].why);
	return 0;
}

static bool has_args(const struct value_rules *rules)
{
	size_t i;

	for (i = 0; i < rules->nr; i++)
		if (value_has_args(&rules->rules[i].formats))
			return true;
	return false;
}

static bool has_records(const struct trace *trace)
{
	return trace->with_stream ||
	       (trace->format && (trace->format->sinks & KTRACE_SINK_STREAM));
}

/* Values are kept in records only. With --min-time, calls are recorded at their returns. */
static int check_values(const struct trace *trace, struct err *err)
{
	if (trace->min_time && has_args(&trace->values))
		return err_set(err, "--min-time and --arg cannot be combined: a call is recorded at its return, too late for its arguments; record results with --ret.");
	if (has_records(trace))
		return 0;
	return err_set(err, "--arg and --ret need records of calls; add --stream, or use --format tree, flat or ctf.");
}

/* The key function alone means the functions themselves, of which more is known. */
int trace_options_parse_by(struct trace *trace, struct err *err)
{
	uint32_t *keys = trace->table.keys;

	if (!trace->by)
		return 0;
	if (chosen_parse(&trace->table, trace->by, CHOSEN_TASK_KEYS | 1U << KTRACE_KEY_FUNCTION, err))
		return -1;
	if (keys[0] == KTRACE_KEY_FUNCTION && !keys[1])
		keys[0] = 0;
	if (trace->format && (trace->format->sinks & KTRACE_SINK_STREAM))
		return err_set(err, "--by has rows of figures, and --format %s shows single calls; omit one of them.",
			       trace->format->name);
	if (trace->format && trace->format->paths)
		return err_set(err, "--by has rows of figures, and --format %s shows the tree of calls; omit one of them.",
			       trace->format->name);
	return 0;
}

static uint32_t keys_of(const struct ktrace_table *table)
{
	uint32_t keys = 0;
	int i;

	for (i = 0; i < KTRACE_TABLE_KEYS; i++)
		keys |= 1U << table->keys[i];
	return keys;
}

int trace_options_choose_table(struct trace *trace, const struct ktr_session *session,
			       struct err *err)
{
	char *text;

	if (!trace->by)
		trace->table = session->table;
	if (!trace_has_table(trace))
		return 0;
	if (!(session->sinks & KTRACE_SINK_TABLE))
		return err_set(err, "The session %s keeps no rows by %s; attach with --by %s to keep them.",
			       session->name, trace->by, trace->by);
	if (keys_of(&trace->table) == keys_of(&session->table))
		return 0;
	text = chosen_text(&session->table);
	err_set(err, "The rows of the session %s are by %s; use --by %s, or --by function for its functions.",
		session->name, text, text);
	free(text);
	return -1;
}

int trace_options_check(struct trace *trace, struct err *err)
{
	if (trace_options_parse_by(trace, err))
		return -1;
	if (trace->no_tree && trace->format && trace->format->paths)
		return err_set(err, "--format %s shows the tree of calls: omit --no-tree.",
			       trace->format->name);
	if (trace->has_no_libs && trace->libs.nr)
		return err_set(err, "--no-lib and --lib cannot be combined; give one of them.");
	if (trace->budget > MAX_PERCENT && trace->budget != TRACE_NO_BUDGET)
		return err_set(err, "--budget is the CPU time that probes may cost, in percent of one CPU: %u at most.",
			       MAX_PERCENT);
	if (trace->is_count)
		return check_count(trace, err);
	if (trace->buffer && !has_records(trace))
		return err_set(err, "--buffer needs records of calls; add --stream, or use --format tree, flat or ctf.");
	return trace->values.nr ? check_values(trace, err) : 0;
}

uint32_t trace_options_sinks(const struct trace *trace)
{
	uint32_t sinks = trace->format->sinks;

	if (trace->is_count)
		return KTRACE_SINK_COUNT;
	if (trace_has_table(trace))
		return KTRACE_SINK_TABLE;
	if (sinks & KTRACE_SINK_STREAM)
		return KTRACE_SINK_STREAM;
	if (trace->with_stream)
		sinks |= KTRACE_SINK_STREAM;
	return trace->no_tree ? sinks & ~KTRACE_SINK_TREE : sinks;
}
