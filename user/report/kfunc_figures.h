/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KFUNC_FIGURES_H
#define KFUNC_FIGURES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "nl/nl.h"
#include "report/chains.h"
#include "report/functions.h"
#include "report/stacks.h"
#include "session/names.h"

/* What was counted of kernel functions, and what the session's flags say beside it. */
struct kfunc_figures {
	const struct knl_session *session;
	const struct names *names;
	const struct stacks *texts;
	struct table functions;
	struct table chains;	/* with KTRACE_F_ERRORS */
	struct table stacks;	/* with KTRACE_SINK_STACKS */
};

/* Of the session, and with the names and texts that are set. 0 or a negative errno. */
int kfunc_figures_read(struct kfunc_figures *figures, struct knl *nl, uint32_t read_flags);
/* By a column of rows, which chains have too. */
void kfunc_figures_sort(struct kfunc_figures *figures, const char *column);
void kfunc_figures_free(struct kfunc_figures *figures);

/* A table of what is beside the functions, if there is that, else of them. */
void kfunc_figures_print(FILE *out, const struct kfunc_figures *figures);
/* Both as a document, on one line if is_line. */
void json_print_kfuncs(FILE *out, const struct kfunc_figures *figures, bool is_line);

#endif
