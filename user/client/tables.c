// SPDX-License-Identifier: GPL-2.0
/* Reads tables: first the columns of a table, then its rows. */
#include "client/parts.h"

/* The columns that are read. A newer module may have more, which are skipped. */
#define NR_COLUMNS 64
#define NR_CELLS (2 * NR_COLUMNS)

struct reading {
	struct ktr_table table;		/* the table of the rows being read */
	struct ktrace_column columns[NR_COLUMNS];
	uint32_t at[NR_COLUMNS];
	ktr_row_fn fn;
	void *arg;
};

static void take_schema(struct reading *reading, struct nlattr **attrs)
{
	size_t nr = nla_len(attrs[KTRACE_A_COLUMNS]) / sizeof(*reading->columns), i;
	uint32_t at = 0;

	ktr_struct(&reading->table.shape, sizeof(reading->table.shape), attrs[KTRACE_A_TABLE], 0);
	ktr_struct(reading->columns, sizeof(reading->columns), attrs[KTRACE_A_COLUMNS], 0);
	nr = nr < NR_COLUMNS ? nr : NR_COLUMNS;
	/* A newer module's kind has an unknown width, so later columns cannot be found. */
	for (i = 0; i < nr && reading->columns[i].kind <= KTRACE_COLUMN_FILE; i++) {
		reading->at[i] = at;
		at += ktr_column_words(&reading->columns[i]);
	}
	reading->table.nr_columns = i;
}

static void take_row(struct reading *reading, struct nlattr **attrs)
{
	uint64_t cells[NR_CELLS];
	struct ktr_row row = {
		.table = &reading->table, .name = ktr_text(attrs[KTRACE_A_NAME]), .cells = cells,
		.is_other = ktr_u32(attrs[KTRACE_A_FLAGS]) & KTRACE_ROW_OTHERS,
	};

	ktr_struct(cells, sizeof(cells), attrs[KTRACE_A_CELLS], 0);
	if (attrs[KTRACE_A_BUCKETS]) {
		row.buckets = nla_data(attrs[KTRACE_A_BUCKETS]);
		row.nr_buckets = nla_len(attrs[KTRACE_A_BUCKETS]) / sizeof(*row.buckets);
	}
	reading->fn(reading->arg, &row);
}

static void take(struct ktr *ktr, struct nlattr **attrs)
{
	static const uint64_t none[NR_CELLS];
	struct reading *reading = ktr->arg;

	if (attrs[KTRACE_A_TABLE] && attrs[KTRACE_A_COLUMNS]) {
		take_schema(reading, attrs);
		reading->fn(reading->arg,
			    &(struct ktr_row){ .table = &reading->table, .cells = none,
					       .is_head = true });
	} else if (attrs[KTRACE_A_CELLS] && reading->table.nr_columns) {
		take_row(reading, attrs);
	}
}

int ktr_row_each(struct ktr *ktr, uint64_t id, uint32_t flags, ktr_row_fn fn, void *arg)
{
	struct reading reading = { .fn = fn, .arg = arg };

	reading.table.columns = reading.columns;
	reading.table.at = reading.at;
	return ktr_dump(ktr, KTRACE_CMD_TABLE_GET, id, flags, take, NULL, &reading);
}
