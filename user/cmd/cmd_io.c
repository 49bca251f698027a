// SPDX-License-Identifier: GPL-2.0
/* ktrace io: the layers of input and output, and the time in each. */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd_gather.h"
#include "report/io_figures.h"
#include "report/io_names.h"
#include "report/orders.h"
#include "report/sched_table.h"
#include "system/chosen_files.h"
#include "system/disks.h"
#include "util/match.h"
#include "util/mem.h"
#include "util/out.h"

struct config {
	struct gather gather;
	struct match disks;
	struct match files, dirs;
	struct match layer_names;
	const char *hist;
	bool is_of_some;	/* only some tasks: write-back is not included */
	uint32_t devs[KTRACE_BLOCK_DEVS];
	int nr_devs;
	uint32_t fds[KTRACE_BLOCK_FILES];	/* of files and dirs */
	int nr_fds;
	struct io_layers layers;
	struct gather_view views[IO_NR_KINDS];
	enum io_kind kinds[IO_NR_KINDS];	/* of views */
	size_t nr_views;
	struct io_names names;
};

static const struct orders orders = {
	.by = { &chosen_kind, CHOSEN_REQUESTS, CHOSEN_REQUESTS | CHOSEN_ERRORS | CHOSEN_BYTES },
};

static const struct opt opts[] = {
	HEADING("Figures"),
	{ 0, "layers", "LAYER[,LAYER...]", OPT_GLOBS, offsetof(struct config, layer_names),
	  "some of syscall, fs, sched, block, nvme, scsi, virtio (default: all; with --dev, --file, --dir, --hist, --slow or --by: block)", NULL },
	BY_OPTION(struct config, gather.by, CHOSEN_IO_KEYS " (of the task that queued the request)"),
	{ 0, "hist", "STAGE", OPT_CHOICE, offsetof(struct config, hist),
	  "histograms of one of q2g, g2i, i2d, d2c, q2c: the time from Q (queued) to G (request got), I (inserted), D (issued to the driver), C (completed)",
	  "q2g|g2i|i2d|d2c|q2c" },
	GATHER_MIN_TIME_OPTION(struct config, gather),
	SORT_OPTION(struct config, gather.sort, orders),
	HEADING("Which requests"),
	{ 0, "dev", "DISK[,DISK...]", OPT_GLOBS, offsetof(struct config, disks),
	  "only these disks (vda, /dev/vda, 8:0) and their partitions", NULL },
	{ 0, "file", "FILE[,FILE...]", OPT_GLOBS, offsetof(struct config, files),
	  "only requests of these files", NULL },
	{ 0, "dir", "DIR[,DIR...]", OPT_GLOBS, offsetof(struct config, dirs),
	  "only requests of files below these folders", NULL },
	HEADING("Single requests"),
	GATHER_SLOW_OPTION(struct config, gather,
			   "also each request of at least TIME (10ms, 0 for all) from Q to C, with its thread, file and stages"),
	GATHER_STACKS_OPTION(struct config, gather,
			     "with --slow: the stack that queued each request, in the kernel and in its program"),
	GATHER_RECORD_OPTIONS(struct config, gather),
	GATHER_OPTIONS(struct config, gather),
	GATHER_ATTACH_OPTION(struct config, gather),
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

/* --- figures -------------------------------------------------------------- */

static const char of_some[] = "Only requests that these tasks queued themselves: write-back (kworker) queues buffered writes later.";

static void print_table(FILE *out, const struct config *config, const struct io_figures *figures)
{
	io_figures_print(out, figures, config->hist ? io_stage_find(config->hist) : -1);
	if (config->is_of_some && config->layers.is_on[IO_BLOCK])
		out_put(out, "\n%s\n", of_some);
}

struct printing {
	const struct config *config;
	FILE *out;
	const struct gather_moment *moment;
};

static void print_rows(void *arg, const struct table *table)
{
	const struct printing *printing = arg;

	gather_print_rows(&printing->config->gather, printing->out, printing->moment, table);
}

static int show(void *arg, FILE *out, const struct gather_moment *moment)
{
	struct config *config = arg;
	struct io_figures figures = { .layers = &config->layers,
				      .duration_ns = moment->to - moment->from,
				      .has_hists = config->hist };
	size_t i;
	int error;

	for (i = 0; i < config->nr_views; i++)
		figures.sessions[config->kinds[i]] = &moment->sessions[i];
	error = io_figures_read(&figures, moment->ktr, moment->read_flags);
	if (!error && config->gather.format->document)
		gather_print_document(&config->gather, out, moment, io_document(&figures));
	else if (!error && config->gather.format->rows)
		io_figures_each(&figures, print_rows, &(struct printing){ config, out, moment });
	else if (!error)
		print_table(out, config, &figures);
	io_figures_free(&figures);
	return error;
}

/* --- options ---------------------------------------------------------------- */

/* Chooses the requests that the module counts, and what it keeps of them. */
static void choose_requests(struct config *config, struct gather_view *view)
{
	view->devs = config->nr_devs ? config->devs : NULL;
	view->nr_devs = config->nr_devs;
	view->files = config->nr_fds ? config->fds : NULL;
	view->nr_files = config->nr_fds;
	view->io_names = &config->names;
	view->event_id = EVENT_REQUEST;
	view->events = "requests";
	view->arg = config;
}

/* Adds one session per kind of layer. */
static void add_view(struct config *config, enum io_kind kind)
{
	static const uint32_t providers[IO_NR_KINDS] = {
		[IO_KIND_SYSCALLS] = KTRACE_PROVIDER_SYSCALLS,
		[IO_KIND_FUNCTIONS] = KTRACE_PROVIDER_KERNEL,
		[IO_KIND_SCHED] = KTRACE_PROVIDER_SCHED,
		[IO_KIND_BLOCK] = KTRACE_PROVIDER_BLOCK,
	};
	struct gather_view *view = &config->views[config->nr_views];

	view->provider = providers[kind];
	view->sinks = KTRACE_SINK_HIST;
	if (kind == IO_KIND_SCHED && config->is_of_some) {
		view->sinks |= KTRACE_SINK_TABLE;
		view->table = &sched_by_thread;
	}
	if (kind == IO_KIND_FUNCTIONS)
		view->kplan = &config->layers.plan;
	if (kind == IO_KIND_BLOCK)
		choose_requests(config, view);
	if (config->nr_views)
		view[-1].next = view;
	config->kinds[config->nr_views++] = kind;
}

static void add_views(struct config *config)
{
	bool is_wanted[IO_NR_KINDS] = { false };
	int layer, kind;

	for (layer = 0; layer < IO_NR_LAYERS; layer++)
		if (config->layers.is_on[layer])
			is_wanted[io_kind_of(layer)] = true;
	for (kind = 0; kind < IO_NR_KINDS; kind++)
		if (is_wanted[kind])
			add_view(config, kind);
	config->views[0].what = "input and output";
	config->views[0].show = show;
	config->views[0].arg = config;
}

#define KEYS (CHOSEN_TASK_KEYS | 1U << KTRACE_KEY_DEVICE | 1U << KTRACE_KEY_OPERATION |	\
	      1U << KTRACE_KEY_STAGE | 1U << KTRACE_KEY_FILE)
/* Only these keys need the task that queued a request. */
#define KEYS_OF_WHO ((CHOSEN_TASK_KEYS & ~(1U << KTRACE_KEY_CPU)) | 1U << KTRACE_KEY_FILE)

/* Returns 1 << KTRACE_KEY_* of the keys of --by. */
static uint32_t keys_of(const struct config *config)
{
	uint32_t keys = 0;
	int i;

	for (i = 0; i < KTRACE_TABLE_KEYS && config->gather.table.keys[i]; i++)
		keys |= 1U << config->gather.table.keys[i];
	return keys;
}

static int choose_keys(struct config *config, struct err *err)
{
	static const uint64_t figures =
		1ULL << KTRACE_FIGURE_CALLS | 1ULL << KTRACE_FIGURE_ERRORS |
		1ULL << KTRACE_FIGURE_TOTAL | 1ULL << KTRACE_FIGURE_MIN |
		1ULL << KTRACE_FIGURE_MAX | 1ULL << KTRACE_FIGURE_BYTES;

	if (!config->gather.by)
		return config->gather.sort ? err_set(err, "--sort is for the rows of --by: add --by.") : 0;
	if (config->hist && strcmp(config->hist, "q2c"))
		return err_set(err, "With --by, --hist takes q2c and shows a histogram of each row; the key stage has a row for each stage.");
	config->gather.sort = config->gather.sort ? config->gather.sort : "total";
	config->gather.has_hist = !!config->hist;
	if (gather_parse_by(&config->gather, KEYS, err))
		return -1;
	if (!(keys_of(config) & KEYS_OF_WHO))
		config->gather.table.values = figures;
	if (config->is_of_some)
		config->gather.note = of_some;
	else if (keys_of(config) & 1U << KTRACE_KEY_FILE)
		config->gather.note = "Buffered writes are queued later, by write-back (kworker), and then count for their file.";
	return 0;
}

/* --dev, --file and --dir choose requests, so they imply the layer block. */
static int check_layers(struct config *config, struct err *err)
{
	bool is_of_requests = config->hist || config->gather.by || config->gather.slow != NOT_SLOW;
	bool is_choice = config->disks.nr || config->files.nr || config->dirs.nr;
	struct match *names = &config->layer_names;

	if (gather_has_stack_rows(&config->gather))
		return err_set(err, "--stacks shows where slow requests were queued: add --slow TIME (0 for all requests).");
	if ((is_choice || is_of_requests) && !names->nr)
		match_add(names, "block");
	if (io_layers_choose(&config->layers, names, err))
		return -1;
	if (config->gather.format->rows && names->nr != 1)
		return err_set(err, "--format %s has one table: choose one layer, such as --layers block, or give --by.",
			       config->gather.format->name);
	if ((is_choice || config->gather.by) && (names->nr > 1 || !config->layers.is_on[IO_BLOCK]))
		return err_set(err, "--dev, --file, --dir and --by are for disk requests, which only the layer block has; omit them, or the other layers.");
	if (is_of_requests && !config->layers.is_on[IO_BLOCK])
		return err_set(err, "--hist and --slow show disk requests, which only the layer block has; add it to --layers.");
	return choose_keys(config, err);
}

/* Returns the number of disks, or -1 with err set. devs has room for KTRACE_BLOCK_DEVS. */
static int find_disks(const struct match *disks, uint32_t *devs, struct err *err)
{
	size_t i;

	if (disks->nr > KTRACE_BLOCK_DEVS)
		return err_set(err, "At most %d disks can be chosen; without --dev, all are traced.",
			       KTRACE_BLOCK_DEVS);
	for (i = 0; i < disks->nr; i++)
		if (disk_find(disks->globs[i], &devs[i], err))
			return -1;
	return disks->nr;
}

static int go(void *arg, char **program)
{
	struct config *config = arg;
	struct err err;

	config->is_of_some = *program || config->gather.pids.nr ||
			     conditions_are_given(&config->gather.conditions);
	config->nr_devs = check_layers(config, &err) ? -1 :
			  find_disks(&config->disks, config->devs, &err);
	config->nr_fds = config->nr_devs < 0 ? -1 :
			 chosen_files_open(&config->files, &config->dirs, config->fds, &err);
	if (config->nr_fds < 0)
		return cmd_fail(CMD_USAGE, &err);
	add_views(config);
	if (config->gather.kept && config->views[0].kplan) {
		err_set(&err, "--attach keeps no layers that consist of kernel functions; choose functions with: ktrace func --attach %s FUNCTION...",
			config->gather.kept);
		return cmd_fail(CMD_USAGE, &err);
	}
	return gather_run(&config->gather, &config->views[0], program);
}

static void clean(void *arg)
{
	struct config *config = arg;

	match_free(&config->disks);
	match_free(&config->files);
	match_free(&config->dirs);
	match_free(&config->layer_names);
	io_layers_free(&config->layers);
}

static int run(const struct command *command, int argc, char **argv)
{
	static const struct gather_command of = { sizeof(struct config), go, clean };

	return gather_command(command, argc, argv, &of);
}

const struct command cmd_io = {
	.name = "io",
	.usage = "io [options] [-p PID | -- PROGRAM [ARGS]]",
	.summary = "Show where input and output spend their time, layer by layer.",
	.note = "A request counts for the process that queued it. Buffered writes are queued\n"
		"later, by write-back (kworker): omit -p and PROGRAM to see them.",
	.opts = opts,
	.examples = "  ktrace io --layers block -d 1\n"
		    "  ktrace io -d 3 --slow 10ms --by comm,op\n"
		    "  ktrace io -- du -s /usr\n",
	.program = PROGRAM_MAYBE,
	.run = run,
};
