// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "report/virtio_table.h"
#include "util/out.h"

typedef unsigned long long ull;

static double usecs(uint64_t ns)
{
	return ns / 1e3;
}

static double ratio(uint64_t part, uint64_t all)
{
	return all ? (double)part / all : 0;
}

#define NAME_LEN 48

static const char *name_device(char text[NAME_LEN], const struct virtio_row *row)
{
	snprintf(text, NAME_LEN, row->has_dev ? "virtio%u" : "(others)", row->device);
	return text;
}

static const char *name_queue(char text[NAME_LEN], const struct virtio_row *row)
{
	text[0] = '\0';
	if (row->has_dev)
		snprintf(text, NAME_LEN, "%u %s", row->queue, row->name);
	return text;
}

static void print_queue(FILE *out, const struct virtio_row *row)
{
	char device[NAME_LEN], queue[NAME_LEN];

	name_device(device, row);
	name_queue(queue, row);
	out_put(out, "%-9s %-15s %-10s %-14s", device, row->dev ? row->dev->driver : "",
		row->dev ? row->dev->is : "", queue);
}

static void print_queue_head(FILE *out)
{
	out_put(out, "%-9s %-15s %-10s %-14s", "device", "driver", "is", "queue");
}

/* Rare things are not shown where they are not. */
static void print_rare(FILE *out, uint64_t nr)
{
	if (nr)
		out_put(out, " %7llu", (ull)nr);
	else
		out_put(out, " %7s", "");
}

static void print_load(FILE *out, const struct virtio_row *row, double seconds)
{
	const struct ktrace_stats *stats = row->stats;
	uint64_t added = virtio_row_added(row);
	uint64_t nr = stats[KTRACE_VIRTIO_OUT].entries + stats[KTRACE_VIRTIO_IN].entries;
	const struct ktrace_stats *interrupts = &stats[KTRACE_VIRTIO_INTERRUPT];

	print_queue(out, row);
	out_put(out, " %10llu %10.1f", (ull)added, seconds > 0 ? added / seconds : 0);
	print_rare(out, stats[KTRACE_VIRTIO_ADD].errors);
	out_put(out, " %14llu %14llu %9.2f %10llu %9.2f %10llu %9.2f",
		(ull)stats[KTRACE_VIRTIO_OUT].bytes, (ull)stats[KTRACE_VIRTIO_IN].bytes,
		ratio(nr, added), (ull)stats[KTRACE_VIRTIO_KICK].entries,
		ratio(stats[KTRACE_VIRTIO_KICK].entries, added),
		(ull)(interrupts->entries - interrupts->errors),
		ratio(interrupts->entries - interrupts->errors,
		      stats[KTRACE_VIRTIO_USED].entries));
	if (interrupts->errors)
		print_rare(out, interrupts->errors);
	fputc('\n', out);
}

static void print_loads(FILE *out, const struct virtio_rows *rows, double seconds)
{
	size_t i;

	print_queue_head(out);
	out_put(out, " %10s %10s %7s %14s %14s %9s %10s %9s %10s %9s %7s\n", "requests", "per s",
		"refused", "bytes out", "bytes in", "parts", "kicks", "each", "interrupts",
		"per used", "idle");
	for (i = 0; i < rows->nr; i++)
		print_load(out, &rows->rows[i], seconds);
}

static void print_time(FILE *out, const struct virtio_row *row)
{
	const struct ktrace_stats *used = &row->stats[KTRACE_VIRTIO_USED];

	print_queue(out, row);
	out_put(out, " %10llu %14llu", (ull)used->entries, (ull)used->bytes);
	if (used->calls)
		out_put(out, " %10llu %10.1f %10.1f %10.1f %10.1f", (ull)used->calls,
			usecs(used->total_ns) / used->calls,
			usecs(virtio_row_percentile(row, 500)),
			usecs(virtio_row_percentile(row, 990)), usecs(used->max_ns));
	fputc('\n', out);
}

static void print_times(FILE *out, const struct virtio_rows *rows)
{
	size_t i;

	print_queue_head(out);
	out_put(out, " %10s %14s %10s %10s %10s %10s %10s\n", "used", "bytes written", "timed",
		"mean us", "p50", "p99", "max");
	for (i = 0; i < rows->nr; i++)
		print_time(out, &rows->rows[i]);
}

void virtio_table_print(FILE *out, const struct virtio_rows *rows, uint64_t duration_ns)
{
	if (!rows->nr) {
		out_put(out, "No request was added to a queue, and none was used.\n");
		return;
	}
	print_loads(out, rows, duration_ns / 1e9);
	fputc('\n', out);
	print_times(out, rows);
}

void virtio_table_print_hists(FILE *out, const struct virtio_rows *rows)
{
	char device[NAME_LEN], queue[NAME_LEN];
	const struct virtio_row *row;

	for (row = rows->rows; row < rows->rows + rows->nr; row++) {
		if (!row->hist.nr)
			continue;
		out_put(out, "\n%s %s\n", name_device(device, row), name_queue(queue, row));
		hist_print(out, &row->hist);
	}
}
