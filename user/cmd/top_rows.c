// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "cmd/top_rows.h"
#include "cmd/top_state.h"
#include "report/layout.h"
#include "util/mem.h"
#include "util/out.h"

static size_t key_at(const struct table *table, const char *name)
{
	size_t at = 0;

	while (strcmp(table->kind->keys[at].name, name))
		at++;
	return at;
}

/* The rows are those of the table, which must not be freed. The list is. */
static struct row *filtered(const struct table *table, const char *key, const char *filter,
			    size_t *nr)
{
	struct row *rows = mem_alloc((table->nr + 1) * sizeof(*rows));
	size_t at = key_at(table, key), i;
	const char *name;

	for (*nr = i = 0; i < table->nr; i++) {
		name = table->rows[i].keys[at].text;
		if (top_filter_has(filter, name ? name : ""))
			rows[(*nr)++] = table->rows[i];
	}
	return rows;
}

/* Returns how many lines the tables have besides their rows. */
static size_t other_lines(const struct table *table, size_t *nr_tables)
{
	const struct layout *const *layout;
	size_t nr = 0;

	*nr_tables = 0;
	for (layout = table->kind->screens; *layout; layout++) {
		if ((table->flags & (*layout)->when) != (*layout)->when)
			continue;
		nr += 1 + (*layout)->has_rule + (*layout)->has_total * (1 + (*layout)->has_rule) +
		      !!*nr_tables;
		++*nr_tables;
	}
	return nr;
}

static size_t nr_fitting(const struct table *table, size_t nr_lines)
{
	size_t nr_tables, other = other_lines(table, &nr_tables), room;

	if (!nr_lines)
		return table->nr;
	room = nr_lines > other ? (nr_lines - other) / nr_tables : 0;
	return room ? room : 1;
}

void top_rows_print(FILE *out, const struct table *table, const char *key,
		    const struct top_rows *rows)
{
	struct table shown = *table;
	size_t fitting;

	shown.rows = filtered(table, key, rows->filter, &shown.nr);
	if (table->nr && !shown.nr) {
		out_put(out, "No row has '%s' in its name.\n", rows->filter);
		free(shown.rows);
		return;
	}
	if (!shown.total.parts)
		shown.total = table_sum(table, table->kind->screens[0]);
	fitting = nr_fitting(table, rows->nr_lines);
	shown.nr = shown.nr < fitting ? shown.nr : fitting;
	table_print(out, &shown);
	if (!table->total.parts)
		free(shown.total.parts);
	free(shown.rows);
}
