// SPDX-License-Identifier: GPL-2.0
#include "report/json.h"
#include "report/kfunc_figures.h"
#include "report/layout.h"
#include "report/stack_table.h"

/* Without a tree, stacks belong to single calls and are printed with them. */
static bool has_stacks(const struct ktr_session *session)
{
	return (session->sinks & KTRACE_SINK_STACKS) && (session->sinks & KTRACE_SINK_TREE);
}

static int read_more(struct kfunc_figures *figures, struct ktr *ktr, uint32_t read_flags)
{
	const struct ktr_session *session = figures->session;
	const struct names *names = figures->names;

	if (has_stacks(session))
		return stack_table_read_calls(&figures->stacks, ktr, session, read_flags, names,
					     figures->texts);
	if (session->flags & KTRACE_F_ERRORS)
		return chains_read(&figures->chains, ktr, session, read_flags, names);
	return 0;
}

int kfunc_figures_read(struct kfunc_figures *figures, struct ktr *ktr, uint32_t read_flags)
{
	int error = functions_read(&figures->functions, ktr, figures->session->id, read_flags,
				   figures->names);

	figures->functions.flags = FUNCTIONS_KERNEL |
		(figures->session->sinks & KTRACE_SINK_COUNT ? FUNCTIONS_COUNT : 0);
	return error ? error : read_more(figures, ktr, read_flags);
}

void kfunc_figures_sort(struct kfunc_figures *figures, const char *column)
{
	functions_sort(&figures->functions, column);
	chains_sort(&figures->chains, column);
}

void kfunc_figures_free(struct kfunc_figures *figures)
{
	table_free(&figures->stacks);
	chains_free(&figures->chains);
	table_free(&figures->functions);
}

void kfunc_figures_print(FILE *out, const struct kfunc_figures *figures)
{
	if (has_stacks(figures->session))
		stack_table_print(out, &figures->stacks);
	else if (figures->session->flags & KTRACE_F_ERRORS)
		table_print(out, &figures->chains);
	else
		functions_print(out, &figures->functions);
}

struct json_object *kfunc_document(const struct kfunc_figures *figures)
{
	const struct json_table tables[] = {
		{ "rows", &figures->functions },
		{ "chains", figures->session->flags & KTRACE_F_ERRORS ? &figures->chains : NULL },
		{ "stacks", has_stacks(figures->session) ? &figures->stacks : NULL },
	};

	return tables_document(figures->session, tables, 3);
}
