// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "report/layout.h"
#include "report/table_read.h"
#include "report/virtio.h"
#include "util/out.h"

#define OTHERS "(others)"	/* queues beyond the module's table */

/* --- reading ------------------------------------------------------------------ */

static void set_text(struct row_key *key, const char *text)
{
	key->text = text;
	key->is_none = !text;
}

struct row *virtio_add(struct table *queues, uint32_t device, uint32_t queue, const char *name,
		       const struct virtio_dev *dev)
{
	struct row *row = table_add(queues);
	struct row_key *to = row->keys;

	to[VIRTIO_DEVICE].number = device;
	to[VIRTIO_DEVICE].text = table_text(queues, "virtio%u", device);
	to[VIRTIO_QUEUE].number = queue;
	to[VIRTIO_QUEUE].text = table_text(queues, "%u %s", queue, name);
	to[VIRTIO_NAME].text = table_text(queues, "%s", name);
	set_text(&to[VIRTIO_DRIVER], dev ? dev->driver : NULL);
	set_text(&to[VIRTIO_IS], dev ? dev->is : NULL);
	set_text(&to[VIRTIO_AT], dev ? dev->at : NULL);
	return row;
}

/* The row sorts after all others. */
struct row *virtio_add_others(struct table *queues)
{
	struct row *row = table_add(queues);
	int key;

	for (key = 0; key <= VIRTIO_AT; key++)
		row->keys[key].is_none = true;
	row->keys[VIRTIO_DEVICE].number = UINT64_MAX;
	return row;
}

static struct row *add(void *arg, struct table *queues, const struct ktr_row *row)
{
	const struct virtio_devs *const *devs = arg;
	uint64_t device = ktr_row_key(row, KTRACE_KEY_DEVICE);

	if (device == UINT64_MAX)
		return virtio_add_others(queues);
	return virtio_add(queues, device, ktr_row_key(row, KTRACE_KEY_QUEUE),
			  row->name ? row->name : "", virtio_devs_get(*devs, device));
}

/* Counts only requests that were not refused, and interrupts that were not idle. */
static void leave_out_errors(struct row_part *part)
{
	part->figures[FIG_CALLS] = part->figures[FIG_ENTRIES] - part->figures[FIG_ERRORS];
}

int virtio_read(struct table *queues, struct ktr *ktr, uint64_t session, uint32_t read_flags,
		const struct virtio_devs *devs)
{
	struct table_source source = { .to = queues, .add = add, .arg = &devs };
	struct row *row;
	int error;

	table_init(queues, &virtio_kind);
	error = table_read(&source, NULL, ktr, session, read_flags);
	for (row = queues->rows; row < queues->rows + queues->nr; row++) {
		leave_out_errors(&row->parts[KTRACE_VIRTIO_ADD]);
		leave_out_errors(&row->parts[KTRACE_VIRTIO_INTERRUPT]);
	}
	return error;
}

/* --- tables ------------------------------------------------------------------- */

#define ADD		(1U << KTRACE_VIRTIO_ADD)
#define OUT		(1U << KTRACE_VIRTIO_OUT)
#define IN		(1U << KTRACE_VIRTIO_IN)
#define USED		(1U << KTRACE_VIRTIO_USED)
#define KICK		(1U << KTRACE_VIRTIO_KICK)
#define INTERRUPT	(1U << KTRACE_VIRTIO_INTERRUPT)

static const struct key_kind keys[] = {
	[VIRTIO_DEVICE] = { "device", key_by_number, .width = 8, .is_left = true },
	[VIRTIO_QUEUE] = { "queue", key_by_number, .width = 8, .is_left = true },
	[VIRTIO_NAME] = { "name", key_by_text },
	[VIRTIO_DRIVER] = { "driver", key_by_text, .width = 6, .is_left = true },
	[VIRTIO_IS] = { "is", key_by_text, .width = 4, .is_left = true },
	[VIRTIO_AT] = { "at", key_by_text },
};

#define KEY(which, ...)	{ .key = (which), .is_grown = true, __VA_ARGS__ }
#define QUEUE										\
	KEY(VIRTIO_DEVICE, .none = OTHERS), KEY(VIRTIO_DRIVER, .drop = 4),		\
	KEY(VIRTIO_IS), KEY(VIRTIO_QUEUE)

static const struct column load_columns[] = {
	QUEUE,
	OF_PARTS(CALLS, "requests", ADD, .sort = "requests"),
	OF_PARTS(CALL_RATE, NULL, ADD),
	OF_PARTS(ERRORS, "refused", ADD, .width = 7, .drop = 1),
	OF_PARTS(BYTES, "out", OUT, .sort = "out"),
	OF_PARTS(BYTES, "in", IN, .sort = "in"),
	OF_PARTS(ENTRIES_EACH, "parts", OUT | IN, .per_parts = ADD, .drop = 3),
	OF_PARTS(ENTRIES, "kicks", KICK, .sort = "kicks", .width = 8, .drop = 1),
	OF_PARTS(ENTRIES_EACH, NULL, KICK, .per_parts = ADD, .drop = 3),
	OF_PARTS(CALLS, "interrupts", INTERRUPT, .drop = 1),
	OF_PARTS(CALLS_PER_ENTRY, "per used", INTERRUPT, .per_parts = USED, .drop = 3),
	OF_PARTS(ERRORS, "idle", INTERRUPT, .width = 7, .drop = 2),
};

#define TIME(id)	OF_PARTS(id, NULL, USED, .needs = FIG_CALLS)

static const struct column time_columns[] = {
	QUEUE,
	OF_PARTS(ENTRIES, "used", USED, .sort = "used"),
	OF_PARTS(BYTES, "written", USED, .drop = 1),
	OF_PARTS(CALLS, "timed", USED, .needs = FIG_CALLS, .drop = 2),
	TIME(AVG), TIME(P50), TIME(P99), TIME(MAX),
};

static const struct layout loads = {
	COLUMNS(load_columns), .empty = "No request was added to a queue, and none was used.",
};
static const struct layout times = { COLUMNS(time_columns) };

static const struct column members[] = {
	{ .key = VIRTIO_DEVICE }, { .key = VIRTIO_QUEUE, .is_number = true }, { .key = VIRTIO_NAME },
	{ .key = VIRTIO_DRIVER }, { .key = VIRTIO_IS }, { .key = VIRTIO_AT },
	OF_PARTS(CALLS, "requests", ADD), OF_PARTS(ERRORS, "refused", ADD),
	OF_PARTS(ENTRIES, "out.parts", OUT), OF_PARTS(BYTES, "out.bytes", OUT),
	OF_PARTS(ENTRIES, "in.parts", IN), OF_PARTS(BYTES, "in.bytes", IN),
	OF_PARTS(ENTRIES, "kicks", KICK), OF_PARTS(ENTRIES, "used", USED),
	OF_PARTS(BYTES, "written_bytes", USED), OF_PARTS(CALLS, "interrupts", INTERRUPT),
	OF_PARTS(ERRORS, "interrupts_idle", INTERRUPT), OF_PARTS(CALLS, "time.requests", USED),
	OF_PARTS(TOTAL, "time.total_ns", USED), DISTRIBUTION(.in = "time.", .parts = USED),
};

static const struct layout json = { COLUMNS(members) };

/* Queues of a device are sorted by number. */
const struct table_kind virtio_kind = {
	.keys = keys, .nr_keys = VIRTIO_AT + 1, .nr_parts = KTRACE_VIRTIO_INTERRUPT + 1,
	.part_key = KTRACE_KEY_OPERATION, .needs = FIG_ENTRIES, .screens = { &loads, &times },
	.json = &json,
};

void virtio_print_hists(FILE *out, const struct table *queues)
{
	const struct row_key *keys_of;
	const struct hist *hist;
	const struct row *row;

	for (row = queues->rows; row < queues->rows + queues->nr; row++) {
		hist = &row->parts[KTRACE_VIRTIO_USED].hist;
		if (!hist->nr)
			continue;
		keys_of = row->keys;
		out_put(out, "\n%s %s\n", keys_of[VIRTIO_DEVICE].is_none ? OTHERS :
			keys_of[VIRTIO_DEVICE].text, keys_of[VIRTIO_QUEUE].is_none ? "" :
			keys_of[VIRTIO_QUEUE].text);
		hist_print(out, hist);
	}
}
