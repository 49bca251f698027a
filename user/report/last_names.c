// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "report/last_names.h"
#include "util/mem.h"

struct last_name {
	uint32_t tid;
	uint64_t last;		/* when the row counted */
	char comm[KTRACE_COLUMN_TEXT_LEN + 1];
};

void last_names_see(struct last_names *names, const struct knl_row *row)
{
	struct last_name *name;

	names->all = mem_grow(names->all, names->nr, sizeof(*names->all));
	name = &names->all[names->nr++];
	name->tid = knl_row_key(row, KTRACE_KEY_TID);
	name->last = knl_row_figure(row, KTRACE_FIGURE_LAST);
	knl_row_text(name->comm, row, knl_table_figure(row->table, KTRACE_FIGURE_COMM));
}

/* The latest first. */
static int by_age(const void *a, const void *b)
{
	const struct last_name *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->last > y->last ? -1 : x->last < y->last;
}

void last_names_sort(struct last_names *names)
{
	if (names->nr)
		qsort(names->all, names->nr, sizeof(*names->all), by_age);
}

const char *last_names_get(const struct last_names *names, uint32_t tid)
{
	size_t low = 0, high = names->nr, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (names->all[mid].tid < tid)
			low = mid + 1;
		else
			high = mid;
	}
	return low < names->nr && names->all[low].tid == tid ? names->all[low].comm : NULL;
}

void last_names_free(struct last_names *names)
{
	free(names->all);
	names->all = NULL;
	names->nr = 0;
}
