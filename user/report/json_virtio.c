// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>

#include "report/json_parts.h"
#include "report/virtio_table.h"

static void add_queue(struct json_object *to, const struct virtio_row *row)
{
	char device[32];

	if (!row->has_dev)
		return;
	snprintf(device, sizeof(device), "virtio%u", row->device);
	json_add_text(to, "device", device);
	json_add_u64(to, "queue", row->queue);
	json_add_text(to, "name", row->name);
	if (!row->dev)
		return;
	json_add_text(to, "driver", row->dev->driver);
	json_add_text(to, "is", row->dev->is);
	json_add_text(to, "at", row->dev->at);
}

static struct json_object *part_of(const struct ktrace_stats *stats)
{
	struct json_object *to = json_object_new_object();

	json_add_u64(to, "parts", stats->entries);
	json_add_u64(to, "bytes", stats->bytes);
	return to;
}

static struct json_object *time_of(const struct virtio_row *row)
{
	const struct ktrace_stats *used = &row->stats[KTRACE_VIRTIO_USED];
	struct json_object *to = json_object_new_object();

	json_add_u64(to, "requests", used->calls);
	json_add_u64(to, "total_ns", used->total_ns);
	json_add_distribution(to, used, &row->hist);
	return to;
}

static struct json_object *row_of(const struct virtio_row *row)
{
	struct json_object *to = json_object_new_object();
	const struct ktrace_stats *interrupts = &row->stats[KTRACE_VIRTIO_INTERRUPT];

	add_queue(to, row);
	json_add_u64(to, "requests", virtio_row_added(row));
	json_add_u64(to, "refused", row->stats[KTRACE_VIRTIO_ADD].errors);
	json_add(to, "out", part_of(&row->stats[KTRACE_VIRTIO_OUT]));
	json_add(to, "in", part_of(&row->stats[KTRACE_VIRTIO_IN]));
	json_add_u64(to, "kicks", row->stats[KTRACE_VIRTIO_KICK].entries);
	json_add_u64(to, "used", row->stats[KTRACE_VIRTIO_USED].entries);
	json_add_u64(to, "written", row->stats[KTRACE_VIRTIO_USED].bytes);
	json_add_u64(to, "interrupts", interrupts->entries - interrupts->errors);
	json_add_u64(to, "interrupts_idle", interrupts->errors);
	json_add(to, "time", time_of(row));
	return to;
}

void json_print_virtio(FILE *out, const struct knl_session *session,
		       const struct virtio_rows *rows, uint64_t duration_ns, bool is_line)
{
	struct json_object *document = json_gathered_of(session, duration_ns), *list = json_object_new_array();
	size_t i;

	for (i = 0; i < rows->nr; i++)
		json_object_array_add(list, row_of(&rows->rows[i]));
	json_add(document, "virtio", list);
	json_write(out, document, is_line ? 0 : JSON_C_TO_STRING_PRETTY);
}
