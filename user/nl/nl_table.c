// SPDX-License-Identifier: GPL-2.0
/* Reads tables: first the columns of a table, then its rows. */
#include "nl/nl_parts.h"
#include "nl/nl_table.h"

struct reading {
	struct knl_table table;		/* the table of the rows being read */
	knl_row_fn fn;
	void *arg;
};

static void take_schema(struct knl_table *table, struct nlattr **attrs)
{
	uint32_t at = 0, i;

	knl_struct(&table->shape, sizeof(table->shape), attrs[KTRACE_A_TABLE], 0);
	knl_struct(table->columns, sizeof(table->columns), attrs[KTRACE_A_COLUMNS], 0);
	table->nr_columns = nla_len(attrs[KTRACE_A_COLUMNS]) / sizeof(*table->columns);
	if (table->nr_columns > KNL_COLUMNS)
		table->nr_columns = KNL_COLUMNS;
	for (i = 0; i < table->nr_columns; i++) {
		/* A newer module's kind has an unknown width, so later columns cannot be found. */
		if (table->columns[i].kind > KTRACE_COLUMN_FILE) {
			table->nr_columns = i;
			return;
		}
		table->at[i] = at;
		at += knl_column_words(&table->columns[i]);
	}
}

static void take_row(struct reading *reading, struct nlattr **attrs)
{
	struct knl_row row = {
		.table = &reading->table, .name = knl_text(attrs[KTRACE_A_NAME]),
		.is_other = knl_u32(attrs[KTRACE_A_FLAGS]) & KTRACE_ROW_OTHERS,
	};

	knl_struct(row.cells, sizeof(row.cells), attrs[KTRACE_A_CELLS], 0);
	if (attrs[KTRACE_A_BUCKETS]) {
		row.buckets = nla_data(attrs[KTRACE_A_BUCKETS]);
		row.nr_buckets = nla_len(attrs[KTRACE_A_BUCKETS]) / sizeof(*row.buckets);
	}
	reading->fn(reading->arg, &row);
}

static void take(struct knl *nl, struct nlattr **attrs)
{
	struct reading *reading = nl->arg;

	if (attrs[KTRACE_A_TABLE] && attrs[KTRACE_A_COLUMNS]) {
		take_schema(&reading->table, attrs);
		reading->fn(reading->arg,
			    &(struct knl_row){ .table = &reading->table, .is_head = true });
	} else if (attrs[KTRACE_A_CELLS] && reading->table.nr_columns) {
		take_row(reading, attrs);
	}
}

int knl_row_each(struct knl *nl, uint64_t id, uint32_t flags, knl_row_fn fn, void *arg)
{
	struct reading reading = { .fn = fn, .arg = arg };

	return knl_dump(nl, KTRACE_CMD_TABLE_GET, id, flags, take, NULL, &reading);
}
