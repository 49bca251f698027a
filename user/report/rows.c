// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "report/rows.h"
#include "util/mem.h"

/* --- from the module ---------------------------------------------------- */

struct reading {
	struct rows *rows;
	const struct names *names;
};

static void take(void *arg, const struct knl_func *func)
{
	struct reading *reading = arg;
	struct rows *rows = reading->rows;
	struct row *row;

	rows->rows = mem_grow(rows->rows, rows->nr, sizeof(*rows->rows));
	row = &rows->rows[rows->nr++];
	row->func = func->func;
	row->name = names_get(reading->names, func->func);
	row->stats = func->stats;
	row->error = func->error;
	row->taken_out = func->taken_out;
	hist_read(&row->hist, func->buckets, func->nr_buckets);
}

int rows_read(struct rows *rows, struct knl *nl, uint64_t session, uint32_t flags,
	      const struct names *names)
{
	struct reading reading = { rows, names };

	memset(rows, 0, sizeof(*rows));
	return knl_func_each(nl, session, flags, take, &reading);
}

/* --- order -------------------------------------------------------------- */

static int down(uint64_t a, uint64_t b)
{
	return a == b ? 0 : a > b ? -1 : 1;
}

static uint64_t avg(const struct row *row)
{
	return row->stats.calls ? row->stats.sum_ns / row->stats.calls : 0;
}

static uint64_t p99(const struct row *row)
{
	return hist_percentile_of(&row->hist, &row->stats, 990);
}

static int by_name(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->tid == y->tid ? 0 : x->tid < y->tid ? -1 : 1;
}

#define COMPARE(column, key)							\
	static int by_##column(const void *a, const void *b)			\
	{									\
		const struct row *x = a, *y = b;				\
		int order = down(key(x), key(y));				\
		return order ? order : by_name(a, b);				\
	}
#define TOTAL(row) ((row)->stats.total_ns)
#define SELF(row) ((row)->stats.self_ns)
/* As tables show them: calls that have returned; entries where returns are not seen. */
#define CALLS(row) ((row)->stats.calls ? (row)->stats.calls : (row)->stats.entries)
#define MIN(row) ((row)->stats.min_ns)
#define MAX(row) ((row)->stats.max_ns)
COMPARE(total, TOTAL)
COMPARE(self, SELF)
COMPARE(calls, CALLS)
COMPARE(avg, avg)
COMPARE(min, MIN)
COMPARE(max, MAX)
COMPARE(p99, p99)

static const struct {
	const char *name;
	int (*compare)(const void *a, const void *b);
} columns[] = {
	{ "total", by_total }, { "self", by_self }, { "calls", by_calls }, { "avg", by_avg },
	{ "min", by_min }, { "max", by_max }, { "p99", by_p99 }, { "name", by_name },
};

static size_t column_of(const char *name)
{
	size_t nr = sizeof(columns) / sizeof(columns[0]), i;

	for (i = 0; i < nr; i++)
		if (!strcmp(columns[i].name, name))
			break;
	return i;
}

void rows_sort(struct rows *rows, const char *name)
{
	if (rows->nr)
		qsort(rows->rows, rows->nr, sizeof(*rows->rows),
		      columns[column_of(name)].compare);
}

void rows_free(struct rows *rows)
{
	size_t i;

	for (i = 0; i < rows->nr; i++)
		hist_free(&rows->rows[i].hist);
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}
