// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "keep/grouped.h"
#include "keep/measured_by.h"
#include "keep/measured_parts.h"
#include "report/head.h"
#include "report/key_names.h"
#include "util/mem.h"
#include "util/out.h"

/* --- keys ----------------------------------------------------------------------- */

#define BIT(id) (1U << KTRACE_KEY_##id)
#define TASKS (BIT(TID) | BIT(PID) | BIT(COMM) | BIT(CPU))	/* no record has users and cgroups */

static const struct {
	uint32_t keys;
	uint32_t counted, figures;	/* CHOSEN_* */
	const char *what, *order;
} kinds[MEASURED_NR] = {
	[MEASURED_CALLS] = { BIT(FUNCTION) | TASKS, CHOSEN_USER, 0, "calls of functions", "total" },
	[MEASURED_SYSCALLS] = { BIT(SYSCALL) | BIT(ERRNO) | TASKS, 0, CHOSEN_ERRORS, "system calls",
				"total" },
	[MEASURED_PERIODS] = { BIT(PERIOD) | TASKS, CHOSEN_PERIODS, 0, "periods of threads", "total" },
	[MEASURED_REQUESTS] = { BIT(DEVICE) | BIT(OPERATION) | BIT(STAGE) | BIT(FILE) | TASKS,
				CHOSEN_REQUESTS, CHOSEN_ERRORS | CHOSEN_BYTES, "disk requests", "total" },
	[MEASURED_KERNEL] = { BIT(FUNCTION) | TASKS, 0, CHOSEN_ERRORS, "calls of kernel functions",
			      "total" },
	[MEASURED_FAULTS] = { BIT(FAULT) | TASKS, CHOSEN_FAULTS, CHOSEN_ERRORS, "page faults", "total" },
	[MEASURED_SAMPLES] = { BIT(MODE) | TASKS, CHOSEN_SAMPLES, 0, "samples", "total" },
};

uint32_t measured_keys(void)
{
	uint32_t keys = 0;
	int kind;

	for (kind = 0; kind < MEASURED_NR; kind++)
		keys |= kinds[kind].keys;
	return keys;
}

/* Returns the names of keys, which the caller frees. */
static char *names_of(uint32_t keys)
{
	char *text = mem_string(""), *longer;
	const struct key_kind *key;

	for (key = key_kinds; key->name; key++) {
		if (!(keys >> key->id & 1))
			continue;
		longer = mem_format("%s%s%s", text, *text ? ", " : "", key->name);
		free(text);
		text = longer;
	}
	return text;
}

static int check_keys(const struct measured *measured, const struct ktrace_table *keys,
		      struct err *err)
{
	enum measured_kind kind = measured_kind(measured);
	char *names;
	int i;

	for (i = 0; i < KTRACE_TABLE_KEYS && keys->keys[i]; i++) {
		if (kinds[kind].keys >> keys->keys[i] & 1)
			continue;
		names = names_of(kinds[kind].keys);
		err_set(err, "--by cannot be %s for %s, which has %s: choose some of %s, or another session with --session.",
			key_kind_of(keys->keys[i])->name, measured->session->folder, kinds[kind].what,
			names);
		free(names);
		return -1;
	}
	return 0;
}

/* Times on and off the CPU do not add up: the kind of period is always a key, as in ktrace sched. */
static int add_period(struct ktrace_table *keys, struct err *err)
{
	int i;

	for (i = 0; i < KTRACE_TABLE_KEYS && keys->keys[i]; i++)
		if (keys->keys[i] == KTRACE_KEY_PERIOD)
			return 0;
	if (i == KTRACE_TABLE_KEYS)
		return err_set(err, "--by takes at most three keys in addition to the period, which is always a key of periods of threads.");
	keys->keys[i] = KTRACE_KEY_PERIOD;
	return 0;
}

int measuring_group(struct measuring *measuring, const struct ktrace_table *keys, struct err *err)
{
	struct measured *measured;
	size_t i;

	for (i = 0; i < measuring->recording->nr; i++) {
		measured = measuring->all[i];
		if (!measured)
			continue;
		if (check_keys(measured, keys, err))
			return -1;
		measured->keys = *keys;
		if (measured_kind(measured) == MEASURED_PERIODS && add_period(&measured->keys, err))
			return -1;
		measured->grouped = grouped_create(measuring->recording, measured->session,
						   &measured->keys);
		calls_group(measured->calls, measured->grouped);
	}
	return 0;
}

/* --- rows ----------------------------------------------------------------------- */

static void fill_calls(const struct measured *measured, struct table *to)
{
	const struct func_sums *groups;
	uint32_t nr, number;

	groups = calls_functions(measured->calls, &nr);
	for (number = 0; number < nr && number < GROUPED_MOST; number++)
		if (groups[number].entries || groups[number].sums.calls || groups[number].bound_calls)
			measured_fill_calls(measured, grouped_add_row(measured->grouped, to, number),
					    number, &groups[number]);
}

/* All events for which there was no group are one row. */
static void fill_others(const struct measured *measured, struct table *to)
{
	const struct func_sums *groups;
	uint64_t *figures;
	uint32_t nr;

	if (!grouped_nr_lost(measured->grouped))
		return;
	to->others.parts = mem_alloc(to->nr_parts * sizeof(*to->others.parts));
	figures = to->others.parts->figures;
	groups = calls_functions(measured->calls, &nr);
	if (nr <= GROUPED_MOST) {
		figures[FIG_CALLS] = grouped_nr_lost(measured->grouped);
		return;
	}
	measured_fill_calls(measured, &to->others, GROUPED_MOST, &groups[GROUPED_MOST]);
	figures[FIG_TOTAL] = figures[FIG_SUM];
}

/* The caller frees chosen. */
static void fill(const struct measured *measured, struct chosen *chosen, const char *sort)
{
	enum measured_kind kind = measured_kind(measured);
	struct table *table = &chosen->table;
	uint64_t from, to;

	*chosen = (struct chosen){ .names = &measured->session->names };
	chosen_init(chosen, &measured->keys, kinds[kind].counted, kinds[kind].figures);
	chosen->kind.nr_telling = chosen->kind.nr_keys - 1;
	if (kind == MEASURED_CALLS)
		fill_calls(measured, table);
	else
		grouped_fill(measured->grouped, table);
	table_unite(table);
	fill_others(measured, table);
	measured_window(measured, &from, &to);
	table->duration_ns = to - from;
	table_sort(table, sort ? sort : kinds[kind].order);
}

void measured_by_print(FILE *out, const struct measured *measured, size_t nr, const char *sort)
{
	struct chosen chosen;
	size_t all;

	measured_set_head(measured);
	fill(measured, &chosen, sort);
	all = chosen.table.nr;
	if (nr && all > nr)
		chosen.table.nr = nr;
	head_print(out);
	chosen_print(out, &chosen);
	if (chosen.table.nr < all)
		out_put(out, "(%zu of %zu rows; --format table shows all)\n", chosen.table.nr, all);
	chosen.table.nr = all;
	chosen_free(&chosen);
}

void measured_by_table(const struct measured *measured, const char *sort,
		       void (*fn)(void *arg, const struct table *table), void *arg)
{
	struct chosen chosen;

	measured_set_head(measured);
	fill(measured, &chosen, sort);
	fn(arg, &chosen.table);
	chosen_free(&chosen);
}

struct json_object *measured_by_document(const struct measured *measured, bool has_hists)
{
	struct json_object *document;
	struct chosen chosen;

	measured_set_head(measured);
	measured_set_command(measured);
	fill(measured, &chosen, NULL);
	chosen.table.has_hists = has_hists;
	document = chosen_document(&measured->session->is, &chosen);
	chosen_free(&chosen);
	measured_mark_part(measured, document);
	return document;
}
