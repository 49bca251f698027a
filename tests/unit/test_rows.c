// SPDX-License-Identifier: GPL-2.0
/*
 * Prints what the descriptions of tables say, for rows.py, which compares it with the schemas and
 * the options: each member in JSON, and each key.
 */
#include <stdio.h>
#include <string.h>

#include "../../user/report/chosen.c"

#include "../../user/report/chains.h"
#include "../../user/report/functions.h"
#include "../../user/report/io_table.h"
#include "../../user/report/profile.h"
#include "../../user/report/sched_table.h"
#include "../../user/report/stack_table.h"
#include "../../user/report/syscalls.h"
#include "../../user/report/virtio.h"

/* A description, and the flags that a table of it always has, or can have. */
struct described {
	const char *name;
	const struct table_kind *kind;
	const struct layout *layout;
	uint32_t always, possible;
};

/* --- members -------------------------------------------------------------------- */

static const char *type_of(const struct described *of, const struct column *column)
{
	if (!column->figure)
		return of->kind->keys[column->key].add ? "added" : "key";
	switch (figure_kinds[column->figure].format) {
	case FORMAT_HIST:
		return "histogram";
	case FORMAT_ERROR:
		return "text";
	case FORMAT_TRUE:
		return "true";
	default:
		return "u64";
	}
}

/* Returns true if every row has the member. */
static bool is_always(const struct described *of, const struct column *column)
{
	if (!column->figure || column->figure == FIG_HIST || column->needs)
		return false;
	return !figure_kinds[column->figure].needs && !(column->when & ~of->always) &&
	       !(column->unless & of->possible);
}

static void print_members(const struct described *of, const struct layout *layout, const char *in)
{
	const struct column *column = layout->columns, *end = column + layout->nr;
	const char *title;
	size_t part;
	char path[256];

	for (; column < end; column++) {
		if ((column->when & ~of->possible) || (column->unless & of->always))
			continue;
		for (part = 0; column->each && part < of->kind->nr_parts; part++) {
			title = column->each->columns->title;
			snprintf(path, sizeof(path), "%s%s%s%s", in, column->in ? column->in : "",
				 of->kind->parts[part], title && !*title ? "" : ".");
			print_members(of, column->each, path);
		}
		if (!column->each)
			printf("member %s %s%s%s %s %s\n", of->name, in, column->in ? column->in : "",
			       column_member(column, of->kind), type_of(of, column),
			       is_always(of, column) ? "always" : "sometimes");
	}
}

static void print_described(const struct described *of)
{
	print_members(of, of->layout ? of->layout : of->kind->json, "");
}

int main(void)
{
	enum { OF_CALLS = CHOSEN_CPU_TIME | CHOSEN_FAULTS | CHOSEN_PAGES | CHOSEN_ERRORS |
			  CHOSEN_BYTES | CHOSEN_USER,
	       OF_REQUESTS = CHOSEN_REQUESTS | CHOSEN_ERRORS | CHOSEN_BYTES };
	static const struct described all[] = {
		{ "function", &functions_kind, .possible = ~0U },
		{ "syscall", &syscalls_kind, .possible = ~0U },
		{ "syscall_errors", .kind = &syscalls_errors_kind },
		{ "request", .kind = &io_kind }, { "queue", .kind = &virtio_kind },
		{ "thread", .kind = &sched_threads }, { "chain", .kind = &chains_kind },
		{ "stack_row", &stacks_kind, .possible = ~0U },
		{ "table_row", &chosen_kind, .possible = OF_CALLS },
		{ "period_row", &chosen_kind, NULL, CHOSEN_PERIODS, CHOSEN_PERIODS },
		{ "request_row", &chosen_kind, NULL, OF_REQUESTS, OF_REQUESTS },
		{ "sample_row", &chosen_kind, NULL, CHOSEN_SAMPLES, CHOSEN_SAMPLES },
		{ "sampled_function", &profile_functions, .possible = ~0U },
	};
	const struct described together = {
		"threads_together", &sched_threads, .layout = sched_threads.json_total,
	};
	const struct key_kind *key;
	size_t i;

	for (i = 0; i < NR(all); i++)
		print_described(&all[i]);
	print_described(&together);
	for (key = key_kinds; key->name; key++) {
		printf("key %s %s", key->name, key->add ? "added" : key->json ? key->json : key->name);
		for (i = 0; key->add && i < NR(key->members) && key->members[i]; i++)
			printf(" %s", key->members[i]);
		puts("");
	}
	return 0;
}
