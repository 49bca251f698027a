/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KFUNC_FIGURES_H
#define KFUNC_FIGURES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "client/client.h"
#include "report/chains.h"
#include "report/functions.h"
#include "report/stacks.h"
#include "session/names.h"

/* The figures of a session of kernel functions, with the tables that its flags and sinks add. */
struct kfunc_figures {
	const struct ktr_session *session;
	const struct names *names;
	const struct stacks *texts;
	struct table functions;
	struct table chains;	/* needs KTRACE_F_ERRORS */
	struct table stacks;	/* needs KTRACE_SINK_STACKS and KTRACE_SINK_TREE */
};

/* Reads the figures. session, names and texts must be set. Returns 0 or a negative errno. */
int kfunc_figures_read(struct kfunc_figures *figures, struct ktr *ktr, uint32_t read_flags);
/* Sorts functions and chains by a column. */
void kfunc_figures_sort(struct kfunc_figures *figures, const char *column);
void kfunc_figures_free(struct kfunc_figures *figures);

/*
 * Prints the additional table (stacks or chains) if the session has one, otherwise the functions.
 */
void kfunc_figures_print(FILE *out, const struct kfunc_figures *figures);
/* A document: functions and additional tables. */
struct json_object *kfunc_document(const struct kfunc_figures *figures);

#endif
