// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "cmd/top_rows.h"
#include "cmd/top_tabs.h"
#include "report/io_table.h"
#include "report/layout.h"
#include "util/mem.h"
#include "util/out.h"

/* --- functions -------------------------------------------------------------- */

/*
 * The names are those of stacks, which are freed when the session is replaced, before the next
 * figures are there.
 */
static void keep_names(struct table *functions)
{
	struct row *row;
	size_t i;

	for (row = functions->rows; row < functions->rows + functions->nr; row++)
		for (i = 0; i < functions->nr_keys; i++)
			row->keys[i].text = table_text(functions, "%s", row->keys[i].text);
}

static int read_functions(struct top_figures *figures, const struct top_source *source)
{
	struct profile *profile = &figures->profile;
	int error;

	*profile = (struct profile){ .session = source->session, .texts = source->stacks };
	error = profile_read(profile, source->ktr, source->read_flags);
	keep_names(&profile->functions);
	table_free(&profile->stacks);
	return error;
}

static void sort_functions(struct top_figures *figures, const char *order)
{
	table_sort(&figures->profile.functions, order);
}

static void print_modes(FILE *out, const struct top_figures *figures)
{
	profile_print_modes(out, &figures->profile);
}

static void print_functions(FILE *out, const struct top_figures *figures,
			    const struct top_rows *rows)
{
	top_rows_print(out, &figures->profile.functions, figures->tab->key, rows);
}

/* --- system calls ----------------------------------------------------------- */

static int read_syscalls(struct top_figures *figures, const struct top_source *source)
{
	int error = syscalls_read(&figures->syscalls, source->ktr, source->session,
				  source->read_flags);

	figures->syscalls.calls.duration_ns = source->duration_ns;
	return error;
}

static void sort_syscalls(struct top_figures *figures, const char *order)
{
	table_sort(&figures->syscalls.calls, order);
}

/* The calls of 32-bit programs have a table of their own, with half of the room. */
static void print_syscalls(FILE *out, const struct top_figures *figures,
			   const struct top_rows *rows)
{
	const struct table *calls = &figures->syscalls.calls;
	struct top_rows part = *rows;
	struct table native = *calls, compat = *calls;

	if (calls->nr) {
		native = table_slice(calls, calls->rows, SYSCALLS_ABI + 1);
		compat.rows += native.nr;
		compat.nr -= native.nr;
	}
	if (!calls->nr || !compat.nr) {
		top_rows_print(out, calls, figures->tab->key, rows);
		return;
	}
	part.nr_lines = rows->nr_lines / 2;
	top_rows_print(out, &native, figures->tab->key, &part);
	out_put(out, "32-bit system calls:\n");
	part.nr_lines -= part.nr_lines > 1;
	top_rows_print(out, &compat, figures->tab->key, &part);
}

/* --- disks ------------------------------------------------------------------ */

static int read_disks(struct top_figures *figures, const struct top_source *source)
{
	int error = io_read(&figures->requests, source->ktr, source->session->id,
			    source->read_flags);

	figures->requests.duration_ns = source->duration_ns;
	return error;
}

static void sort_disks(struct top_figures *figures, const char *order)
{
	table_sort(&figures->requests, order);
}

static void print_disks(FILE *out, const struct top_figures *figures, const struct top_rows *rows)
{
	top_rows_print(out, &figures->requests, figures->tab->key, rows);
}

/* --- all -------------------------------------------------------------------- */

const struct top_tab top_tabs[TOP_NR_TABS] = {
	{
		.name = "functions", .title = "Functions", .provider = KTRACE_PROVIDER_PROFILE,
		.sinks = KTRACE_SINK_TREE | KTRACE_SINK_STACKS, .what = "samples",
		.key = "function", .orders = { "self", "total", "function" },
		.read = read_functions, .sort = sort_functions, .print_head = print_modes,
		.print = print_functions,
	},
	{
		.name = "syscalls", .title = "System calls", .provider = KTRACE_PROVIDER_SYSCALLS,
		.sinks = KTRACE_SINK_HIST, .what = "system calls",
		.key = "name", .orders = { "total", "calls", "errors", "p99", "name" },
		.read = read_syscalls, .sort = sort_syscalls, .print = print_syscalls,
	},
	{
		.name = "disks", .title = "Disks", .provider = KTRACE_PROVIDER_BLOCK,
		.sinks = KTRACE_SINK_HIST, .what = "disk requests",
		.key = "disk", .orders = { "time", "requests", "bytes", "disk" },
		.read = read_disks, .sort = sort_disks, .print = print_disks,
	},
};

size_t top_tab_nr_orders(const struct top_tab *tab)
{
	size_t nr = 0;

	while (tab->orders[nr])
		nr++;
	return nr;
}

int top_figures_read(struct top_figures *figures, const struct top_tab *tab,
		     const struct top_source *source)
{
	top_figures_free(figures);
	figures->tab = tab;
	return tab->read(figures, source);
}

void top_figures_free(struct top_figures *figures)
{
	profile_free(&figures->profile);
	syscalls_free(&figures->syscalls);
	table_free(&figures->requests);
	memset(figures, 0, sizeof(*figures));
}
