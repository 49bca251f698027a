// SPDX-License-Identifier: GPL-2.0
/* ktrace virtio: what drivers of this machine do with the queues of virtio devices. */
#include <stdlib.h>

#include "cmd/cmd_gather.h"
#include "report/json.h"
#include "report/layout.h"
#include "report/orders.h"
#include "report/virtio.h"
#include "system/virtio_devs.h"
#include "util/match.h"
#include "util/mem.h"

struct config {
	struct gather gather;
	struct match chosen;
	struct virtio_devs devs;
};

static const struct orders orders = { .own = { &virtio_kind, .possible = ~0U } };

static const struct opt opts[] = {
	HEADING("Figures"),
	{ 0, "dev", "DEV[,DEV...]", OPT_GLOBS, offsetof(struct config, chosen),
	  "only these devices (virtio0, vda, eth0, a PCI address)", NULL },
	{ 0, "hist", NULL, OPT_FLAG, offsetof(struct config, gather.has_hist),
	  "per queue, a histogram of the times from add to used", NULL },
	SORT_OPTION(struct config, gather.sort, orders),
	GATHER_TIME_OPTIONS(struct config, gather, FORMATS_OF_FIGURES),
	GATHER_ATTACH_OPTION(struct config, gather),
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

static void print_table(FILE *out, const struct config *config, const struct table *queues)
{
	table_print(out, queues);
	if (config->gather.has_hist)
		virtio_print_hists(out, queues);
}

/* Finds devices that were added since the last interval. */
static void look_again(struct virtio_devs *devs)
{
	struct virtio_devs now;
	struct err err;

	if (virtio_devs_read(&now, &err))
		return;
	virtio_devs_free(devs);
	*devs = now;
}

static int show(void *arg, FILE *out, const struct gather_moment *moment)
{
	struct config *config = arg;
	struct table queues;
	const struct json_table rows = { "rows", &queues };
	int error;

	look_again(&config->devs);
	error = virtio_read(&queues, moment->ktr, moment->sessions->id, moment->read_flags,
			    &config->devs);
	queues.duration_ns = moment->to - moment->from;
	queues.has_hists = config->gather.has_hist;
	table_sort(&queues, config->gather.sort);
	if (!error && config->gather.format->document)
		gather_print_document(&config->gather, out, moment,
				      tables_document(moment->sessions, &rows, 1));
	else if (!error && config->gather.format->rows)
		gather_print_rows(&config->gather, out, moment, &queues);
	else if (!error)
		print_table(out, config, &queues);
	table_free(&queues);
	return error;
}

/* Returns the number of devices, or -1 with err set. indexes has room for KTRACE_BLOCK_DEVS. */
static int find_devs(const struct config *config, uint32_t *indexes, struct err *err)
{
	const struct virtio_dev *dev;
	size_t i;

	if (config->chosen.nr > KTRACE_BLOCK_DEVS)
		return err_set(err, "At most %d devices can be chosen; without --dev, all are traced.",
			       KTRACE_BLOCK_DEVS);
	for (i = 0; i < config->chosen.nr; i++) {
		dev = virtio_devs_find(&config->devs, config->chosen.globs[i], err);
		if (!dev)
			return -1;
		indexes[i] = dev->index;
	}
	return config->chosen.nr;
}

static int check(struct config *config, const char *left, uint32_t *indexes, struct err *err)
{
	if (left)
		return err_set(err, "'%s' is not an option: requests in queues cannot be assigned to programs; omit it.",
			       left);
	if (virtio_devs_read(&config->devs, err))
		return -1;
	return find_devs(config, indexes, err);
}

static int go(void *arg, char **globs)
{
	static char *no_program[] = { NULL };
	struct config *config = arg;
	struct gather_view view = {
		.provider = KTRACE_PROVIDER_VIRTIO, .sinks = KTRACE_SINK_HIST,
		.is_of_no_task = true,
		.what = "requests of virtio queues", .show = show, .arg = config,
	};
	uint32_t indexes[KTRACE_BLOCK_DEVS];
	struct err err;
	int nr;

	config->gather.sort = config->gather.sort ? config->gather.sort : "device";
	nr = check(config, *globs, indexes, &err);
	if (nr < 0)
		return cmd_fail(*globs || config->devs.nr ? CMD_USAGE : CMD_FAILED, &err);
	view.devs = nr ? indexes : NULL;
	view.nr_devs = nr;
	return gather_run(&config->gather, &view, no_program);
}

static void clean(void *arg)
{
	struct config *config = arg;

	match_free(&config->chosen);
	virtio_devs_free(&config->devs);
}

static int run(const struct command *command, int argc, char **argv)
{
	static const struct gather_command of = { sizeof(struct config), go, clean };

	return gather_command(command, argc, argv, &of);
}

const struct command cmd_virtio = {
	.name = "virtio",
	.usage = "virtio [options]",
	.summary = "Count and time requests in the queues of virtio devices.",
	.note = "This machine is the guest. A request is timed from when it is added to a queue\n"
		"until the driver takes it out. A request that was added before the start is\n"
		"counted without a time.",
	.opts = opts,
	.examples = "  ktrace virtio -d 1\n"
		    "  ktrace virtio -d 3 -i 1 --hist\n"
		    "  ktrace virtio -d 1 --format json\n",
	.run = run,
};
