// SPDX-License-Identifier: GPL-2.0
/* ktrace io: requests of disks, how many, how large, and where their time goes. */
#include <stdlib.h>
#include <string.h>

#include "cmd_gather.h"
#include "disks.h"
#include "io_table.h"
#include "match.h"
#include "mem.h"

struct config {
	struct gather gather;
	struct match disks;
	struct match layers;
	const char *hist;
	bool is_of_some;	/* tasks, so not of all that is written */
};

static const struct opt opts[] = {
	GATHER_OPTIONS(struct config, gather),
	{ 0, "dev", "DISK[,DISK...]", OPT_GLOBS, offsetof(struct config, disks),
	  "only these disks (vda, /dev/vda, 8:0), partitions with them", NULL },
	{ 0, "hist", "STAGE", OPT_CHOICE, offsetof(struct config, hist),
	  "histograms of q2g, g2i, i2d, d2c or q2c: from Q (queued) to G (request got), I (inserted), D (issued to the driver), C (completed)",
	  "q2g|g2i|i2d|d2c|q2c" },
	{ 0, "layers", "LAYER[,LAYER...]", OPT_GLOBS, offsetof(struct config, layers),
	  "block, the only one so far", NULL },
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

/* --- figures -------------------------------------------------------------- */

static bool is_json(const struct config *config)
{
	return !strcmp(config->gather.format, "json");
}

static void print_table(FILE *out, const struct config *config,
			const struct gather_moment *moment, const struct io_rows *rows)
{
	gather_print_time(out, moment);
	io_table_print(out, rows, moment->to - moment->from);
	if (config->hist)
		io_table_print_hists(out, rows, io_stage_find(config->hist));
	if (config->is_of_some)
		fprintf(out, "\nOnly what these tasks queued themselves: buffered writes are queued by write-back (kworker), later.\n");
	if (moment->is_one_of_many)
		fputc('\n', out);
}

static int show(void *arg, FILE *out, const struct gather_moment *moment)
{
	struct config *config = arg;
	struct io_rows rows;
	int error;

	error = io_rows_read(&rows, moment->nl, moment->session.id, moment->read_flags);
	if (!error && is_json(config))
		json_print_io(out, &moment->session, &rows, moment->to - moment->from,
			      moment->is_one_of_many);
	else if (!error)
		print_table(out, config, moment, &rows);
	io_rows_free(&rows);
	return error;
}

/* --- what is asked for ------------------------------------------------------ */

static int check_layers(const struct match *layers, struct err *err)
{
	static const char *const to_come[] = {
		"syscall", "fs", "sched", "nvme", "scsi", "virtio", "qemu", "host",
	};
	size_t i, n;

	for (i = 0; i < layers->nr; i++) {
		if (!strcmp(layers->globs[i], "block"))
			continue;
		for (n = 0; n < sizeof(to_come) / sizeof(to_come[0]); n++)
			if (!strcmp(layers->globs[i], to_come[n]))
				return err_set(err, "The layer '%s' is not there yet: this version follows requests through the block layer only; leave --layers away, or give block.",
					       layers->globs[i]);
		return err_set(err, "There is no layer '%s'; leave --layers away, or give block.",
			       layers->globs[i]);
	}
	return 0;
}

/* Returns how many; devs has room for all. */
static int find_disks(const struct match *disks, uint32_t *devs, struct err *err)
{
	size_t i;

	if (disks->nr > KTRACE_BLOCK_DEVS)
		return err_set(err, "At most %d disks can be chosen; without --dev all are looked at.",
			       KTRACE_BLOCK_DEVS);
	for (i = 0; i < disks->nr; i++)
		if (disk_find(disks->globs[i], &devs[i], err))
			return -1;
	return disks->nr;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct config *config = mem_alloc(sizeof(*config));
	struct gather_view view = { .what = "requests", .show = show, .arg = config,
				    .flags = KTRACE_F_BLOCK | KTRACE_F_HIST };
	uint32_t devs[KTRACE_BLOCK_DEVS];
	struct err err;
	int first, code, nr_devs;

	code = cmd_parse(command, argc, argv, config, &first);
	if (code >= 0)
		return code;
	config->gather.format = config->gather.format ? config->gather.format : "table";
	config->is_of_some = first < argc || config->gather.pids.nr ||
			     conditions_are_given(&config->gather.conditions);
	nr_devs = check_layers(&config->layers, &err) ? -1 :
		  find_disks(&config->disks, devs, &err);
	if (nr_devs < 0)
		return cmd_fail(first < argc ? CMD_RUN_FAILED : CMD_USAGE, &err);
	view.devs = nr_devs ? devs : NULL;
	view.nr_devs = nr_devs;
	code = gather_run(&config->gather, &view, argv + first);
	match_free(&config->disks);
	match_free(&config->layers);
	gather_free(&config->gather);
	free(config);
	return code;
}

const struct command cmd_io = {
	.name = "io",
	.usage = "io [options] [-p PID | -- PROGRAM [ARGS]]",
	.summary = "Count requests of disks: how many, how large, and where their time goes.",
	.note = "Of a process those are shown that it queued itself. Buffered writes are queued by\n"
		"write-back (kworker), later: to see them leave -p and PROGRAM away.",
	.opts = opts,
	.examples = "  ktrace io -d 1\n"
		    "  ktrace io -d 3 -i 1 --hist d2c\n"
		    "  ktrace io -- du -s /usr\n",
	.has_program = true,
	.is_program_optional = true,
	.run = run,
};
