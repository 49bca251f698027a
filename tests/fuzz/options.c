// SPDX-License-Identifier: GPL-2.0
/* Options and their values: each line is an argument. */
#include "fuzz.h"

#include "../../user/cmd/options.h"
#include "../../user/cmd/trace_options.h"
#include "../../user/plan/place.h"
#include "../../user/session/trace.h"

#define MAX_ARGS 32

struct config {
	struct trace trace;
	struct opt_pids pids;
};

static const struct opt opts[] = {
	{ 'p', "pid", "PID", OPT_PIDS, offsetof(struct config, pids), "", NULL },
	TRACE_PROBE_OPTIONS(struct config, trace),
	CONDITION_OPTIONS(struct config, trace.conditions),
	TRACE_VIEW_OPTIONS(struct config, trace),
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

static const char *const functions[] = {
	"main", "std::map<int, char>::find(int const&)", "operator()(int)", "f@libc.so.6",
};

/* Patterns come from the user, so slow patterns are accepted. */
static bool is_long(const struct match *match)
{
	size_t i;

	for (i = 0; i < match->nr; i++)
		if (strlen(match->globs[i]) > 60)
			return true;
	return false;
}

static void apply(const struct trace *trace, const char *name)
{
	struct value_formats formats = { { 0 } };
	struct ktrace_func func;
	size_t i;

	for (i = 0; i < trace->values.nr; i++)
		if (is_long(&trace->values.rules[i].functions))
			return;
	value_rules_apply(&trace->values, name, name, &formats);
	value_formats_to(&formats, &func);
	for (i = 0; i < sizeof(formats.of); i++)
		must(!formats.of[i] || strchr("duxs", formats.of[i]));
	if (!is_long(&trace->functions))
		match_name(&trace->functions, name);
}

static void use(struct config *config)
{
	struct trace *trace = &config->trace;
	const struct match *match = &trace->functions;
	struct ktr_conditions conditions = conditions_of(&trace->conditions);
	struct place place;
	struct err err;
	size_t i;

	must(conditions.nr_tids <= KTRACE_MAX_PIDS && conditions.nr_uids <= KTRACE_MAX_PIDS);
	must(!conditions.comm || strlen(conditions.comm) <= 15);
	must(trace->min_time <= 1000000000000000000ULL);
	must(config->pids.nr <= KTRACE_MAX_PIDS);
	for (i = 0; i < config->pids.nr; i++)
		must(config->pids.pids[i] > 0);
	trace_options_check(trace, &err);
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		apply(trace, functions[i]);
	for (i = 0; i < match->nr; i++)
		if (place_parse(&place, match->globs[i]))
			place_free(&place);
}

static void parse(int argc, char **argv, bool stops_there)
{
	struct config config;
	int first = 0, result;
	struct err err;

	memset(&config, 0, sizeof(config));
	err.text[0] = 0;
	result = opt_parse(argc, argv, opts, stops_there, &config, &first, &err);
	must(result >= -1 && result <= 1);
	must(result != -1 || *err.text);
	must(first >= 1 && first <= argc);
	if (!result)
		use(&config);
	trace_free(&config.trace);
	free(config.pids.pids);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *argv[MAX_ARGS + 2] = { "ktrace" }, *text, *rest;
	struct input input = { data, len };
	bool stops_there = take(&input, 1) & 1;
	int argc = 1, i;

	text = rest = take_text(&input);
	/* Each argument has memory of its own, so that reads beyond its end are detected. */
	while (rest && argc <= MAX_ARGS)
		argv[argc++] = strdup(strsep(&rest, "\n"));
	parse(argc, argv, stops_there);
	for (i = 1; i < argc; i++)
		free(argv[i]);
	free(text);
	return 0;
}
