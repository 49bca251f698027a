// SPDX-License-Identifier: GPL-2.0
/* ktrace report: figures, trees and pictures of a recording. */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/exports.h"
#include "cmd/kept.h"
#include "cmd/options.h"
#include "cmd/progress.h"
#include "cmd/screen.h"
#include "cmd/trace_options.h"
#include "keep/measured_by.h"
#include "keep/summary.h"
#include "draw/draw.h"
#include "report/chosen.h"
#include "report/fit.h"
#include "report/functions.h"
#include "report/head.h"
#include "util/mem.h"
#include "util/out.h"

#define TOP_ROWS 12	/* of a table in the summary */

struct config {
	struct kept_options which;
	const struct output_format *format;
	uint64_t max_size;
	const char *sort;
	const char *by;
	struct ktrace_table keys;	/* of by */
	int with_hists;
	int is_forced;
	struct output output;
};

static const struct opt opts[] = {
	KEPT_OPTIONS(struct config, which),
	HEADING("Output"),
	FORMAT_OPTION(struct config, format, FORMATS_OF_RECORDINGS),
	{ 0, "max-size", "SIZE", OPT_SIZE, offsetof(struct config, max_size),
	  "with folded, flame, speedscope, pprof, dot or chrome: leave out the shortest until the file fits (chrome: 200M)", NULL },
	{ 0, "by", "KEY[,KEY...]", OPT_STRING, offsetof(struct config, by),
	  "one row per function, syscall, period, dev, ... or tid, pid, comm, cpu, or per combination of these",
	  NULL },
	SORT_OPTION(struct config, sort, trace_orders),
	{ 0, "hist", NULL, OPT_FLAG, offsetof(struct config, with_hists),
	  "with --format json: histograms of times", NULL },
	{ 0, "force", NULL, OPT_FLAG, offsetof(struct config, is_forced),
	  "with --format ctf: replace the trace that is in the folder", NULL },
	MOMENT_OPTION,
	STYLE_OPTIONS,
	OUTPUT_OPTIONS(struct config, output),
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

/* A recording that was read, and where it is shown. */
struct report {
	struct config config;
	struct kept kept;
	struct measuring measuring;
	struct fit fit;
	FILE *out;
	size_t nr_shown;	/* sessions so far */
	bool is_cut;		/* single events were left out */
};

/* --- sessions ------------------------------------------------------------------- */

static bool has_calls(const struct measured *measured)
{
	return measured && measured_kind(measured) == MEASURED_CALLS;
}

static void print_title(struct report *report, const struct measured *measured)
{
	if (report->nr_shown++)
		fputc('\n', report->out);
	if (!report->kept.session && report->kept.recording->nr > 1)
		out_put(report->out, "%s: ", measured->session->folder);
}

static void print_graph(struct report *report, const struct measured *measured)
{
	struct table functions;
	struct graph graph;

	measured_set_head(measured);
	measured_functions(measured, &functions);
	measured_graph(measured, &graph);
	graph_sort(&graph, report->config.sort && !strcmp(report->config.sort, "self") ? "self" :
		   "total");
	graph_set_rows(&graph, &functions);
	head_print(report->out);
	graph_print(report->out, &graph, &measured->session->names);
	graph_free(&graph);
	table_free(&functions);
}

static void put_rows(void *arg, const struct table *table)
{
	struct report *report = arg;

	report->config.format->rows(report->out, table, false, true);
}

/* Sorted by what the format is about, unless there is another order. */
static const char *order_of(const struct report *report, const struct measured *measured)
{
	if (report->config.sort)
		return report->config.sort;
	return report->config.format == &format_flat && has_calls(measured) ? "self" : NULL;
}

static void show_document(struct report *report, const struct measured *measured)
{
	const struct config *config = &report->config;
	struct json_object *document = (config->by ? measured_by_document : measured_document)
				       (measured, config->with_hists);

	config->format->document(report->out, document,
				 !report->kept.session && report->kept.recording->nr > 1);
}

static void show_session(struct report *report, const struct measured *measured)
{
	const struct config *config = &report->config;
	const struct output_format *format = config->format;

	if (format->document) {
		show_document(report, measured);
		return;
	}
	if (format->rows) {
		(config->by ? measured_by_table : measured_table)(measured, config->sort, put_rows,
								  report);
		return;
	}
	if (format == &format_tree && !has_calls(measured))
		return;
	print_title(report, measured);
	if (format == &format_tree)
		print_graph(report, measured);
	else
		(config->by ? measured_by_print : measured_print)
			(report->out, measured, format == &format_summary ? TOP_ROWS : 0,
			 order_of(report, measured));
}

/* --- formats -------------------------------------------------------------------- */

static bool has_stacks(const struct measured *measured)
{
	return measured && measured_has_stacks(measured);
}

/* Sets *found to the only session that has what, or NULL. Returns 0, or -1 with err set. */
static int find_only(const struct report *report, bool (*has)(const struct measured *measured),
		     const char *what, const struct measured **found, struct err *err)
{
	const struct recording *recording = report->kept.recording;
	size_t i;

	*found = NULL;
	for (i = 0; i < recording->nr; i++) {
		if (!has(report->measuring.all[i]) || !recording->sessions[i].nr_records)
			continue;
		if (*found)
			return err_set(err, "The recording has %s in %s and in %s; choose one with --session.",
				       what, (*found)->session->folder, recording->sessions[i].folder);
		*found = report->measuring.all[i];
	}
	return 0;
}

static const struct measured *only_calls(const struct report *report, struct err *err)
{
	const struct measured *found;

	if (find_only(report, has_calls, "calls of functions", &found, err))
		return NULL;
	if (!found)
		err_set(err, "The recording has no calls of functions, and --format %s shows their paths; use --format summary, table or chrome.",
			report->config.format->name);
	return found;
}

/* A picture has the calls of one session, or the stacks of one. */
static int show_paths(struct report *report, struct err *err)
{
	const struct measured *calls, *stacks = NULL;
	struct paths paths;

	if (find_only(report, has_calls, "calls of functions", &calls, err) ||
	    (!calls && find_only(report, has_stacks, "stacks", &stacks, err)))
		return -1;
	if (!calls && !stacks)
		return err_set(err, "The recording has neither calls of functions nor stacks, and --format %s shows their paths; use --format summary, table or chrome, or record with --stacks.",
			       report->config.format->name);
	measured_set_head(calls ? calls : stacks);
	if (calls)
		measured_paths(calls, &paths);
	else
		measured_stack_paths(stacks, &paths);
	fit_put(report->out, report->config.format, &paths, report->config.max_size, &report->fit);
	paths_free(&paths);
	return 0;
}

static int show_perf(struct report *report, struct err *err)
{
	const struct measured *measured = only_calls(report, err);

	if (!measured)
		return -1;
	measured_set_head(measured);
	export_perf(report->out, measured);
	return 0;
}

/* Rows of different kinds cannot be in one file. */
static int check_rows(const struct report *report, struct err *err)
{
	size_t i, nr = 0;

	for (i = 0; i < report->kept.recording->nr; i++)
		nr += report->measuring.all[i] != NULL;
	return nr < 2 ? 0 : err_set(err, "A file of --format csv has the rows of one session; choose one with --session.");
}

static int show(struct report *report, struct err *err)
{
	const struct output_format *format = report->config.format;
	const struct recording *recording = report->kept.recording;
	size_t i;

	if (format->paths)
		return show_paths(report, err);
	if (format == &format_perf)
		return show_perf(report, err);
	if (format->rows && check_rows(report, err))
		return -1;
	if (format == &format_summary) {
		summary_print(report->out, recording, report->kept.session);
		report->nr_shown++;
	}
	for (i = 0; i < recording->nr; i++)
		if (report->measuring.all[i])
			show_session(report, report->measuring.all[i]);
	return 0;
}

static int read_all(struct report *report, struct err *err)
{
	struct kept *kept = &report->kept;

	if (report->config.format == &format_chrome)
		return export_chrome(report->out, kept, report->config.max_size, &report->measuring,
				     &report->is_cut, err);
	if (report->config.format == &format_ctf)
		return export_ctf(kept, report->config.output.path, report->config.is_forced,
				  &report->measuring, err);
	if (measuring_open(&report->measuring, kept->recording, kept->session, &kept->filter, err) ||
	    (report->config.by && measuring_group(&report->measuring, &report->config.keys, err)) ||
	    measuring_pass(&report->measuring, NULL, NULL, kept_progress(), err))
		return -1;
	progress_end();
	return show(report, err);
}

static int check_by(struct config *config, struct err *err)
{
	if (orders_check(&trace_orders, config->sort, config->by, err))
		return -1;
	if (!config->by)
		return 0;
	if (config->format->paths || config->format->is_folder ||
	    config->format == &format_chrome || config->format == &format_perf || config->format == &format_tree)
		return err_set(err, "--by makes rows, and --format %s has no rows; use --format summary, table, flat, csv or json.",
			       config->format->name);
	return chosen_parse(&config->keys, config->by, measured_keys(), err);
}

static int check(struct config *config, struct err *err)
{
	if (!config->format)
		config->format = &format_summary;
	if (config->max_size && !config->format->paths && config->format != &format_chrome)
		return err_set(err, "--max-size limits files of calls and paths: use it with --format folded, flame, speedscope, pprof, dot or chrome.");
	if (config->with_hists && config->format != &format_json)
		return err_set(err, "--hist adds histograms to --format json; omit it, or choose that format.");
	if (config->is_forced && !config->format->is_folder)
		return err_set(err, "--force replaces the folder of --format ctf; omit it, or choose that format.");
	if (check_by(config, err))
		return -1;
	return format_check(config->format, &config->output, false, err);
}

static int print(struct report *report, struct err *err)
{
	int code;

	report->out = out_open(format_output(report->config.format, &report->config.output), err);
	if (!report->out)
		return CMD_FAILED;
	screen_choose_style(&report->config.output);
	if (read_all(report, err) ||
	    out_close(report->out, format_output(report->config.format, &report->config.output), err))
		return CMD_FAILED;
	kept_tell_choice(&report->kept, &report->measuring);
	code = kept_tell(&report->kept, report->measuring.merged) | cmd_tell_fit(&report->fit) |
	       (report->is_cut ? CMD_INCOMPLETE : CMD_OK);
	return code | kept_tell_calls(&report->kept, &report->measuring);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct report report = { .out = NULL };
	int first, code;
	struct err err;

	code = cmd_parse(command, argc, argv, &report.config, &first);
	if (code >= 0)
		return code;
	if (check(&report.config, &err))
		return cmd_fail(CMD_USAGE, &err);
	code = kept_open(&report.kept, &report.config.which, command->name, argc, argv, first);
	if (!code) {
		code = print(&report, &err);
		if (code == CMD_FAILED)
			cmd_fail(code, &err);
	}
	measuring_free(&report.measuring);
	kept_close(&report.kept);
	return code;
}

const struct command cmd_report = {
	.name = "report",
	.usage = "report FOLDER [options]",
	.summary = "Show figures, trees and pictures of a recording.",
	.note = "FOLDER was made by ktrace record. It may come from another machine: names are in\n"
		"it.",
	.opts = opts,
	.examples = "  ktrace record -o seen --force -- /bin/ls; ktrace report seen\n"
		    "  ktrace report seen --format flame -o seen.svg\n"
		    "  ktrace report seen --format callers --min-time 1ms\n"
		    "  ktrace report seen --by tid,function --format csv\n",
	.run = run,
};
