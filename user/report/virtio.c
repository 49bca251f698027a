// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "report/layout.h"
#include "report/table_read.h"
#include "report/virtio.h"
#include "util/out.h"

#define NR_WHATS (KTRACE_VIRTIO_INTERRUPT + 1)
#define ADD		(1U << KTRACE_VIRTIO_ADD)
#define OUT		(1U << KTRACE_VIRTIO_OUT)
#define IN		(1U << KTRACE_VIRTIO_IN)
#define USED		(1U << KTRACE_VIRTIO_USED)
#define KICK		(1U << KTRACE_VIRTIO_KICK)
#define INTERRUPT	(1U << KTRACE_VIRTIO_INTERRUPT)

#define OTHERS "(others)"	/* queues beyond the module's table */

static const struct key_kind keys[] = {
	[VIRTIO_DEVICE] = { "device", .compare = key_by_number },
	[VIRTIO_QUEUE] = { "queue", .compare = key_by_number },
	[VIRTIO_NAME] = { "name", .compare = key_by_text },
	[VIRTIO_DRIVER] = { "driver", .compare = key_by_text },
	[VIRTIO_IS] = { "is", .compare = key_by_text },
	[VIRTIO_AT] = { "at", .compare = key_by_text },
};

/* --- reading ------------------------------------------------------------------ */

void virtio_init(struct table *queues)
{
	table_init(queues, keys, VIRTIO_AT + 1, NR_WHATS);
}

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

static struct row *add(void *arg, struct table *queues, const struct knl_row *row)
{
	const struct virtio_devs *const *devs = arg;
	uint64_t device = knl_row_key(row, KTRACE_KEY_DEVICE);

	if (device == UINT64_MAX)
		return virtio_add_others(queues);
	return virtio_add(queues, device, knl_row_key(row, KTRACE_KEY_QUEUE),
			  row->name ? row->name : "", virtio_devs_get(*devs, device));
}

/* Counts only requests that were not refused, and interrupts that were not idle. */
static void leave_out_errors(struct row_part *part)
{
	part->figures[FIG_CALLS] = part->figures[FIG_ENTRIES] - part->figures[FIG_ERRORS];
}

int virtio_read(struct table *queues, struct knl *nl, uint64_t session, uint32_t read_flags,
		const struct virtio_devs *devs)
{
	struct table_source source = {
		.to = queues, .part = KTRACE_KEY_OPERATION, .needs = FIG_ENTRIES,
		.add = add, .arg = &devs,
	};
	struct row *row;
	int error;

	virtio_init(queues);
	error = table_read(&source, NULL, nl, session, read_flags);
	for (row = queues->rows; row < queues->rows + queues->nr; row++) {
		leave_out_errors(&row->parts[KTRACE_VIRTIO_ADD]);
		leave_out_errors(&row->parts[KTRACE_VIRTIO_INTERRUPT]);
	}
	return error;
}

/* --- tables ------------------------------------------------------------------- */

#define KEY(text, which, least, ...)							\
	{ text, .format = FORMAT_KEY, .key = (which), .width = (least), .is_left = true,	\
	  .is_grown = true, __VA_ARGS__ }
#define QUEUE										\
	KEY("device", VIRTIO_DEVICE, 8, .none = OTHERS, .sort = "device"),				\
	KEY("driver", VIRTIO_DRIVER, 6, .drop = 4),					\
	KEY("is", VIRTIO_IS, 4),							\
	KEY("queue", VIRTIO_QUEUE, 8)
#define COUNT(text, what, which, least, ...)						\
	{ text, .figure = (what), .parts = (which), .width = (least), __VA_ARGS__ }
#define BYTES(text, which, ...)								\
	COUNT(text, FIG_BYTES, which, 9, .format = FORMAT_BYTES, __VA_ARGS__)
/* Rare events leave an empty cell if there are none. */
#define RARE(text, which, ...)								\
	COUNT(text, FIG_ERRORS, which, 7, .needs = FIG_ERRORS, .needs_parts = (which), __VA_ARGS__)
#define RATIO(text, what, which, by, of)						\
	{ text, .format = FORMAT_REAL, .figure = (what), .parts = (which), .per = (by),	\
	  .per_parts = (of), .decimals = 2, .width = 6, .drop = 3 }

static const struct column load_columns[] = {
	QUEUE,
	COUNT("requests", FIG_CALLS, ADD, 9, .sort = "requests"),
	COUNT("/s", FIG_CALLS, ADD, 8, .format = FORMAT_RATE, .per = FIG_SECONDS),
	RARE("refused", ADD, .drop = 1),
	BYTES("out", OUT, .sort = "out"),
	BYTES("in", IN, .sort = "in"),
	RATIO("parts", FIG_ENTRIES, OUT | IN, FIG_CALLS, ADD),
	COUNT("kicks", FIG_ENTRIES, KICK, 8, .drop = 1, .sort = "kicks"),
	RATIO("each", FIG_ENTRIES, KICK, FIG_CALLS, ADD),
	COUNT("interrupts", FIG_CALLS, INTERRUPT, 10, .drop = 1),
	RATIO("per used", FIG_CALLS, INTERRUPT, FIG_ENTRIES, USED),
	RARE("idle", INTERRUPT, .drop = 2),
};

#define TIME(text, what, ...)								\
	COUNT(text, what, USED, 8, .format = FORMAT_TIME, .needs = FIG_CALLS,		\
	      .needs_parts = USED, __VA_ARGS__)

static const struct column time_columns[] = {
	QUEUE,
	COUNT("used", FIG_ENTRIES, USED, 9, .sort = "used"),
	BYTES("written", USED, .drop = 1),
	COUNT("timed", FIG_CALLS, USED, 9, .needs = FIG_CALLS, .needs_parts = USED, .drop = 2),
	TIME("avg", FIG_AVG, .sort = "avg"),
	TIME("p50", FIG_P50),
	TIME("p99", FIG_P99, .sort = "p99"),
	TIME("max", FIG_MAX, .sort = "max"),
};

static const struct layout loads = {
	COLUMNS(load_columns), .begin = "", .gap = " ",
	.empty = "No request was added to a queue, and none was used.",
};
static const struct layout times = { COLUMNS(time_columns), .begin = "", .gap = " " };

/* Each column name belongs to one of the two tables; "device" is the same in both. */
void virtio_sort(struct table *queues, const char *column)
{
	table_sort(queues, &loads, column);
	table_sort(queues, &times, column);
}

void virtio_print(FILE *out, const struct table *queues)
{
	table_print(out, queues, &loads);
	if (!queues->nr)
		return;
	fputc('\n', out);
	table_print(out, queues, &times);
}

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

/* --- JSON --------------------------------------------------------------------- */

static const struct column members[] = {
	{ "device", .format = FORMAT_KEY, .key = VIRTIO_DEVICE },
	{ "queue", .format = FORMAT_KEY_NUMBER, .key = VIRTIO_QUEUE },
	{ "name", .format = FORMAT_KEY, .key = VIRTIO_NAME },
	{ "driver", .format = FORMAT_KEY, .key = VIRTIO_DRIVER },
	{ "is", .format = FORMAT_KEY, .key = VIRTIO_IS },
	{ "at", .format = FORMAT_KEY, .key = VIRTIO_AT },
	COUNT("requests", FIG_CALLS, ADD, 0),
	COUNT("refused", FIG_ERRORS, ADD, 0),
	COUNT("out.parts", FIG_ENTRIES, OUT, 0),
	COUNT("out.bytes", FIG_BYTES, OUT, 0),
	COUNT("in.parts", FIG_ENTRIES, IN, 0),
	COUNT("in.bytes", FIG_BYTES, IN, 0),
	COUNT("kicks", FIG_ENTRIES, KICK, 0),
	COUNT("used", FIG_ENTRIES, USED, 0),
	COUNT("written_bytes", FIG_BYTES, USED, 0),
	COUNT("interrupts", FIG_CALLS, INTERRUPT, 0),
	COUNT("interrupts_idle", FIG_ERRORS, INTERRUPT, 0),
	COUNT("time.requests", FIG_CALLS, USED, 0),
	COUNT("time.total_ns", FIG_TOTAL, USED, 0),
	DISTRIBUTION("time.", USED, 0, 0),
};

static const struct layout json = { COLUMNS(members) };

struct json_object *virtio_json(const struct table *queues)
{
	return table_json(queues, &json);
}
