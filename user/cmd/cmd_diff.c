// SPDX-License-Identifier: GPL-2.0
/* ktrace diff: compares the documents of two runs, or of two sets of runs. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/screen.h"
#include "draw/draw.h"
#include "keep/compare.h"
#include "keep/compare_document.h"
#include "keep/compare_head.h"
#include "keep/compare_load.h"
#include "keep/compare_show.h"
#include "keep/compare_slower.h"
#include "util/fmt.h"
#include "util/mem.h"
#include "util/words.h"

#define FORMATS "table|flame|json|csv|bmf"
#define ORDERS "self|total|calls|avg|p50|p99|name"
#define LIMIT_MOST 1e9	/* percent */

struct config {
	const char *session, *format, *sort, *limit;
	double percent;		/* --fail-above */
	int has_paths;
	struct match functions;
	struct output output;
};

static const struct opt opts[] = {
	HEADING("What is compared"),
	{ 0, "session", "FOLDER", OPT_STRING, offsetof(struct config, session),
	  "this session of recordings, if they have several", NULL },
	{ 'f', "function", "GLOB", OPT_GLOBS, offsetof(struct config, functions),
	  "only functions (system calls, ...) with these names", NULL },
	{ 0, "paths", NULL, OPT_FLAG, offsetof(struct config, has_paths),
	  "one row per path of the tree of calls, not per function", NULL },
	{ 0, "fail-above", "PCT", OPT_STRING, offsetof(struct config, limit),
	  "end with status 1 if a function, or all together, got slower by more than PCT percent",
	  NULL },
	HEADING("Output"),
	{ 0, "format", "FORMAT", OPT_CHOICE, offsetof(struct config, format),
	  "table, flame, json, csv, bmf (side B for Bencher)", FORMATS },
	{ 0, "sort", "COLUMN", OPT_CHOICE, offsetof(struct config, sort),
	  "by the size of the change of self, total, calls, avg, p50, p99; or by name", ORDERS },
	STYLE_OPTIONS,
	OUTPUT_OPTIONS(struct config, output),
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

/* --- options ------------------------------------------------------------------ */

static int read_limit(struct config *config, struct err *err)
{
	char *end;

	if (!config->limit)
		return 0;
	config->percent = strtod(config->limit, &end);
	if (end != config->limit && (!*end || !strcmp(end, "%")) &&
	    config->percent <= LIMIT_MOST &&
	    config->limit + strspn(config->limit, "0123456789.") == end)
		return 0;
	return err_set(err, "--fail-above takes a percentage such as 5%% or 2.5, not '%s'.", config->limit);
}

static int check(struct config *config, int nr_operands, struct err *err)
{
	if (nr_operands != 2)
		return err_set(err, "ktrace diff compares two sides: ktrace diff A.json B.json; several runs of a side are separated by commas.");
	if (read_limit(config, err))
		return -1;
	if (!strcmp(config->format, "flame"))
		config->has_paths = 1;
	return out_check(&config->output, err);
}

/* --- operands ----------------------------------------------------------------- */

static int add_run(struct comparison *comparison, enum compare_side side, const char *path,
		   const char *session, struct err *err)
{
	bool is_part;
	struct json_object *document = compare_load(path, session, &is_part, err);

	if (!document || compare_add(comparison, side, path, document, err))
		return -1;
	if (is_part)
		out_put(stderr, "ktrace: %s is incomplete, and its calls and times are those of a part; see: ktrace report %s\n",
			path, path);
	comparison->has_part |= is_part;
	return 0;
}

/* Adds a file or a recording, or a folder with the recordings 0001, 0002, ... */
static int add_runs(struct comparison *comparison, enum compare_side side, const char *path,
		    const char *session, struct err *err)
{
	unsigned int nr = 0;
	char *run = NULL;
	int error = 0;

	while (!error) {
		free(run);
		run = mem_format("%s/%04u", path, ++nr);
		if (access(run, F_OK))
			break;
		error = add_run(comparison, side, run, session, err);
	}
	free(run);
	return nr > 1 ? error : add_run(comparison, side, path, session, err);
}

/* Adds the runs of a side: files with commas between, or one file whose name has commas. */
static int add_side(struct comparison *comparison, enum compare_side side, const char *operand,
		    const char *session, struct err *err)
{
	char *copy, *rest, *path;
	int error = 0;

	if (!access(operand, F_OK))
		return add_runs(comparison, side, operand, session, err);
	copy = rest = mem_string(operand);
	while (!error && (path = strsep(&rest, ",")))
		error = *path ? add_runs(comparison, side, path, session, err) :
			err_set(err, "'%s' has a comma without a file beside it.", operand);
	free(copy);
	return error;
}

/* --- output ------------------------------------------------------------------- */

static void print_table(FILE *out, const struct comparison *comparison)
{
	compare_head_print(out, comparison);
	compare_table_print(out, comparison);
}

static void print_json(FILE *out, const struct comparison *comparison)
{
	format_json.document(out, compare_json(comparison), false);
}

static void print_bmf(FILE *out, const struct comparison *comparison)
{
	format_json.document(out, compare_bmf(comparison), false);
}

static void print_flame(FILE *out, const struct comparison *comparison)
{
	struct paths paths = comparison->paths;
	char *title = compare_title(comparison);

	paths.title = title;
	format_flame.paths(out, &paths);
	free(title);
}

/* In the order of FORMATS. */
static void (*const printers[])(FILE *out, const struct comparison *comparison) = {
	print_table, print_flame, print_json, compare_csv_print, print_bmf,
};

/* Returns the figure with this title, of shares or of others; NR_COMPARED: there is none. */
static enum compare_figure_id figure_called(const char *title, bool is_share)
{
	int id;

	for (id = 0; id < NR_COMPARED; id++)
		if (compare_figures[id].is_share == is_share &&
		    !strcmp(compare_figure_title(id), title))
			break;
	return id;
}

/* Returns the figure that --sort names, or NR_COMPARED for names. */
static enum compare_figure_id order_of(const struct config *config,
				       const struct comparison *comparison)
{
	enum compare_figure_id id = NR_COMPARED;

	if (!config->sort)
		return compare_time(comparison);
	if (comparison->has_shares)
		id = figure_called(config->sort, true);
	return id < NR_COMPARED ? id : figure_called(config->sort, false);
}

/* Options that need a figure which the documents may not have. */
static int check_figures(const struct config *config, const struct comparison *comparison,
			 struct err *err)
{
	enum compare_figure_id order = order_of(config, comparison);

	if (!comparison->nr && config->functions.nr)
		return err_set(err, "-f matches no name of these documents; ktrace diff without -f shows all.");
	if (comparison->nr && order < NR_COMPARED && !comparison->has_figure[order])
		return err_set(err, "--sort cannot be %s: these documents do not have it.", config->sort);
	if (comparison->nr && config->limit && compare_time(comparison) == COMPARE_CALLS)
		return err_set(err, "--fail-above needs times, which these documents do not have: they were written with --count.");
	if (config->limit && !compare_has_base(comparison))
		return err_set(err, "--fail-above needs a time in A, which has none%s; did its run end early?",
			       config->functions.nr ? " for the functions of -f" : "");
	return 0;
}

/* A share is that of a profile. */
static void tell_share(const struct compare_row *row, enum compare_figure_id id,
		       const struct compare_change *change)
{
	out_put(stderr, "ktrace: %s has a larger share of the samples: %s %.2f %% in A, %.2f %% in B, %+.1f %%%s.\n",
		row->label, compare_figure_title(id), change->of[SIDE_A].median / 1e4,
		change->of[SIDE_B].median / 1e4, change->percent,
		change_is_significant(change) ? ", significantly" : "");
}

static void tell_slower(void *arg, const struct compare_row *row, enum compare_figure_id id,
			const struct compare_change *change)
{
	char a[FMT_LEN], b[FMT_LEN];

	(void)arg;
	if (compare_figures[id].is_share) {
		tell_share(row, id, change);
		return;
	}
	out_put(stderr, "ktrace: %s got slower: %s %s in A, %s in B, %+.1f %%%s.\n",
		row ? row->label : "All together", compare_figure_title(id),
		fmt_plain(a, change->of[SIDE_A].median), fmt_plain(b, change->of[SIDE_B].median),
		change->percent, change_is_significant(change) ? ", significantly" : "");
}

static int judge(const struct config *config, const struct comparison *comparison)
{
	if (config->limit && compare_is_tested(comparison) && !compare_is_decisive(comparison))
		out_put(stderr, "ktrace: too few runs for a test of significance: --fail-above judges medians only.\n");
	if (config->limit && compare_each_slower(comparison, config->percent, tell_slower, NULL))
		return CMD_SLOWER;
	return compare_lost(comparison) || comparison->has_part ? CMD_INCOMPLETE : CMD_OK;
}

static int show(const struct config *config, struct comparison *comparison, struct err *err)
{
	FILE *out = out_open(&config->output, err);

	if (!out)
		return -1;
	screen_choose_style(&config->output);
	printers[words_find(FORMATS, config->format)](out, comparison);
	return out_close(out, &config->output, err);
}

/* Returns an exit code. Failures are no CMD_SLOWER. */
static int compare(const struct config *config, char **operands)
{
	struct comparison comparison = { .has_paths = config->has_paths,
					 .match = &config->functions };
	int code = CMD_USAGE, side, error = 0;
	struct err err;

	for (side = 0; side < NR_SIDES && !error; side++)
		error = add_side(&comparison, side, operands[side], config->session, &err);
	if (!error) {
		compare_settle(&comparison);
		error = check_figures(config, &comparison, &err);
	}
	if (!error) {
		compare_sort(&comparison, order_of(config, &comparison));
		error = show(config, &comparison, &err);
	}
	code = error ? cmd_fail(CMD_USAGE, &err) : judge(config, &comparison);
	compare_free(&comparison);
	return code;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct config config = { .format = "table" };
	struct err err;
	int first, code;

	code = cmd_parse(command, argc, argv, &config, &first);
	if (code >= 0)
		return code;
	if (check(&config, argc - first, &err))
		code = cmd_fail(CMD_USAGE, &err);
	else
		code = compare(&config, argv + first);
	match_free(&config.functions);
	return code;
}

const struct command cmd_diff = {
	.name = "diff",
	.usage = "diff A.json[,A2.json...] B.json[,B2.json...] [options]",
	.summary = "Compare the figures of two runs, or of several runs on each side.",
	.note = "A and B are documents of --format json, or recordings. With several runs on\n"
		"each side, figures are medians, and a test says which changes are more than\n"
		"chance. Of several sessions of a recording, --session chooses one.",
	.opts = opts,
	.examples = "  for i in a b; do ktrace run --format json -o $i.json -- /bin/ls; done\n"
		    "  ktrace diff a.json b.json --fail-above 50%\n"
		    "  ktrace diff a.json b.json --format flame -o diff.svg\n",
	.run = run,
};
