// SPDX-License-Identifier: GPL-2.0
#include "report/table_read.h"
#include "util/mem.h"

struct reading {
	struct table_source *own, *chosen;
};

static struct row_part *parts_of(const struct table *table, struct row *row)
{
	if (!row->parts)
		row->parts = mem_alloc(table->nr_parts * sizeof(*row->parts));
	return row->parts;
}

/* Returns NULL if the row is skipped. */
static struct row_part *add_row(struct table_source *source, const struct ktr_row *row)
{
	struct table *to = source->to;
	struct row *added = source->add ? source->add(source->arg, to, row) : table_add(to);
	const struct key_kind *key;
	size_t i;

	for (i = 0; added && i < to->nr_keys; i++) {
		key = &to->kind->keys[i];
		if (key->id)
			added->keys[i] = key_read(&source->names, to, row, key->id);
		else if (key->read)
			added->keys[i] = key->read(to, row);
	}
	return added ? added->parts : NULL;
}

static struct row_part *find_parts(struct table_source *source, const struct ktr_row *row)
{
	if (row->is_other)
		return parts_of(source->to, &source->to->others);
	return source->is_total ? parts_of(source->to, &source->to->total) : add_row(source, row);
}

/* Rows with a part that only a newer module has are skipped. */
static void take(void *arg, const struct ktr_row *row)
{
	const struct reading *reading = arg;
	struct table_source *source = row->table->shape.max_rows ? reading->chosen :
								       reading->own;
	const struct table_kind *kind = source ? source->to->kind : NULL;
	struct row_part *parts;
	uint64_t nr;

	if (source && source->flags_of)
		source->to->flags |= source->flags_of(row->table);
	if (!source || row->is_head ||
	    (kind->needs && !ktr_row_figure(row, kind->needs - FIG_CALLS)))
		return;
	nr = kind->part_key ? ktr_row_key(row, kind->part_key) : 0;
	parts = nr < source->to->nr_parts ? find_parts(source, row) : NULL;
	if (parts)
		part_read(&parts[nr], row);
}

static void finish(struct table_source *source)
{
	if (!source)
		return;
	if (source->to->kind->part_key)
		table_unite(source->to);
	key_names_free(&source->names);
}

int table_read(struct table_source *own, struct table_source *chosen, struct ktr *ktr,
	       uint64_t session, uint32_t read_flags)
{
	struct reading reading = { own, chosen };
	int error = ktr_row_each(ktr, session, read_flags, take, &reading);

	finish(own);
	finish(chosen);
	return error;
}
