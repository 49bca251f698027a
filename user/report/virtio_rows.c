// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/virtio_rows.h"
#include "util/mem.h"

struct reading {
	struct virtio_rows *rows;
	const struct virtio_devs *devs;
};

static struct virtio_row *row_of(const struct reading *reading, const struct knl_func *func)
{
	struct virtio_rows *rows = reading->rows;
	uint32_t number = KTRACE_VIRTIO_QUEUE(func->func);
	struct virtio_row *row;

	for (row = rows->rows; row < rows->rows + rows->nr; row++)
		if (row->number == number)
			return row;
	rows->rows = mem_grow(rows->rows, rows->nr, sizeof(*rows->rows));
	row = &rows->rows[rows->nr++];
	row->number = number;
	row->has_dev = func->has_dev;
	row->device = func->dev >> 16;
	row->queue = func->dev & 0xffff;
	snprintf(row->name, sizeof(row->name), "%s", func->name ? func->name : "");
	row->dev = func->has_dev ? virtio_devs_get(reading->devs, row->device) : NULL;
	return row;
}

static void take(void *arg, const struct knl_func *func)
{
	uint32_t what = KTRACE_VIRTIO_WHAT(func->func);
	struct virtio_row *row;

	if (!func->stats.entries || what >= VIRTIO_NR_WHATS)
		return;
	row = row_of(arg, func);
	row->stats[what] = func->stats;
	if (what != KTRACE_VIRTIO_USED || !func->nr_buckets)
		return;
	hist_free(&row->hist);
	hist_read(&row->hist, func->buckets, func->nr_buckets);
}

static int compare(const void *a, const void *b)
{
	const struct virtio_row *x = a, *y = b;

	if (x->has_dev != y->has_dev)
		return x->has_dev ? -1 : 1;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return x->queue == y->queue ? 0 : x->queue < y->queue ? -1 : 1;
}

int virtio_rows_read(struct virtio_rows *rows, struct knl *nl, uint64_t session,
		     uint32_t read_flags, const struct virtio_devs *devs)
{
	struct reading reading = { rows, devs };
	int error;

	memset(rows, 0, sizeof(*rows));
	error = knl_func_each(nl, session, read_flags, take, &reading);
	if (rows->nr)
		qsort(rows->rows, rows->nr, sizeof(*rows->rows), compare);
	return error;
}

void virtio_rows_free(struct virtio_rows *rows)
{
	size_t i;

	for (i = 0; i < rows->nr; i++)
		hist_free(&rows->rows[i].hist);
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}

uint64_t virtio_row_added(const struct virtio_row *row)
{
	const struct ktrace_stats *all = &row->stats[KTRACE_VIRTIO_ADD];

	return all->entries - all->errors;
}

uint64_t virtio_row_percentile(const struct virtio_row *row, unsigned int permille)
{
	return hist_percentile_of(&row->hist, &row->stats[KTRACE_VIRTIO_USED], permille);
}
