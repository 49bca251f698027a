// SPDX-License-Identifier: GPL-2.0
/* ktrace graph: what a kernel function calls, as a tree. */
#include <stdlib.h>

#include "cmd/cmd_gather.h"
#include "cmd/cmd_kernel.h"
#include "report/functions.h"
#include "report/graph.h"
#include "report/json.h"
#include "report/paths.h"
#include "util/mem.h"
#include "util/out.h"

struct config {
	struct gather gather;
	struct kernel_choice choice;
	struct match include;
	uint32_t max_depth;
};

static const struct opt opts[] = {
	HEADING("Functions"),
	{ 0, "include", "GLOB[,GLOB...]", OPT_GLOBS, offsetof(struct config, include),
	  "show these functions where FUNCTION calls them, also indirectly", NULL },
	{ 0, "max-depth", "N", OPT_NUMBER, offsetof(struct config, max_depth),
	  "calls nested up to N deep", NULL },
	GATHER_MIN_TIME_OPTION(struct config, gather),
	{ 0, "sort", "COLUMN", OPT_CHOICE, offsetof(struct config, gather.sort),
	  "order of what one function calls: total, self or calls", GRAPH_COLUMNS },
	KERNEL_OPTIONS(struct config, choice),
	GATHER_OPTIONS_WITH(struct config, gather, FORMATS_OF_TREES),
	MAX_SIZE_OPTION(struct config, gather.max_size),
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

/* --- figures -------------------------------------------------------------- */

static int print_document(const struct config *config, FILE *out,
		      const struct gather_moment *moment, const struct graph *graph)
{
	const struct names *names = &config->choice.plan.names;
	struct table functions;
	int error = functions_read(&functions, moment->ktr, moment->sessions->id,
				   moment->read_flags, names);

	functions_sort(&functions, "total");
	if (!error)
		gather_print_document(&config->gather, out, moment,
				      functions_document(moment->sessions, &functions, graph,
							 names));
	table_free(&functions);
	return error;
}

static void print_tree(const struct config *config, FILE *out, const struct graph *graph)
{
	if (graph->nr)
		graph_print(out, graph, &config->choice.plan.names);
	else
		out_put(out, "%s was not called.\n", config->choice.globs.globs[0]);
}

static void print_paths(struct config *config, FILE *out, const struct graph *graph)
{
	struct paths paths;

	paths_take_graph(&paths, graph, &config->choice.plan.names);
	gather_print_paths(&config->gather, out, &paths);
}

static int show(void *arg, FILE *out, const struct gather_moment *moment)
{
	struct config *config = arg;
	struct graph graph;
	int error = graph_read(&graph, moment->ktr, moment->sessions->id, moment->read_flags);

	if (!error) {
		graph_sort(&graph, config->gather.sort);
		if (config->gather.format->document)
			error = print_document(config, out, moment, &graph);
		else if (config->gather.format->paths)
			print_paths(config, out, &graph);
		else
			print_tree(config, out, &graph);
	}
	graph_free(&graph);
	return error;
}

/* --- options ---------------------------------------------------------------- */

static int check(const struct config *config, struct err *err)
{
	if (config->choice.globs.nr > 1)
		return err_set(err, "Only one function can be the root, not both %s and %s; --include names the functions that it calls.",
			       config->choice.globs.globs[0], config->choice.globs.globs[1]);
	return 0;
}

static int choose(struct config *config, struct err *err)
{
	if (kernel_choose(&config->choice, KTRACE_FUNC_BELOW, err))
		return -1;
	if (config->include.nr)
		return kernel_add(&config->choice, &config->include, 0, err);
	return 0;
}

static int go(struct config *config, char **program)
{
	struct gather_view view = { .what = "calls", .show = show, .arg = config };
	struct err err;
	int code;

	config->gather.sort = config->gather.sort ? config->gather.sort : "total";
	if (check(config, &err))
		return cmd_fail(CMD_USAGE, &err);
	if (choose(config, &err))
		return cmd_fail(CMD_FAILED, &err);
	code = kernel_begin(&config->choice, false);
	if (code >= 0)
		return code;
	view.provider = KTRACE_PROVIDER_KERNEL;
	view.sinks = KTRACE_SINK_HIST | KTRACE_SINK_TREE;
	view.max_depth = config->max_depth;
	view.kplan = &config->choice.plan;
	return gather_run(&config->gather, &view, program);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct config *config = mem_alloc(sizeof(*config));
	char **program;
	int code;

	gather_init(&config->gather, argv);
	code = kernel_parse(command, argc, argv, config, &config->choice, &program);
	if (code < 0)
		code = go(config, program);
	match_free(&config->include);
	kernel_free(&config->choice);
	gather_free(&config->gather);
	free(config);
	return code;
}

const struct command cmd_graph = {
	.name = "graph",
	.usage = "graph [options] FUNCTION --include GLOB [-- PROGRAM [ARGS]]",
	.summary = "Show what a kernel function calls as a tree, with times.",
	.opts = opts,
	.examples = "  ktrace graph vfs_read --include 'rw_verify_area,*read_iter*' -d 1\n"
		    "  ktrace graph ksys_write --include 'vfs_*' -- /bin/ls\n"
		    "  ktrace graph do_exit --include 'exit_*' -d 1\n",
	.program = PROGRAM_AFTER_DASHES,
	.run = run,
};
