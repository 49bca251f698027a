/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IO_FIGURES_H
#define IO_FIGURES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "nl/nl.h"
#include "report/io_layers.h"
#include "report/io_table.h"
#include "report/functions.h"
#include "report/syscalls.h"

/* Layers have sessions in common where they are of one kind. */
enum io_kind {
	IO_KIND_SYSCALLS,
	IO_KIND_FUNCTIONS,	/* of all layers that are kernel functions */
	IO_KIND_SCHED,
	IO_KIND_BLOCK,
	IO_NR_KINDS,
};

enum io_kind io_kind_of(enum io_layer layer);

/* What all layers counted. */
struct io_figures {
	const struct io_layers *layers;
	const struct knl_session *sessions[IO_NR_KINDS];	/* NULL: there is none */
	uint64_t duration_ns;
	bool has_hists;		/* of requests, in JSON */
	struct syscalls syscalls;
	struct table functions;
	struct table sched;	/* by thread with KTRACE_SINK_TABLE */
	struct table block;
};

/* Of the layers, sessions and duration that are set. 0 or a negative errno. */
int io_figures_read(struct io_figures *figures, struct knl *nl, uint32_t read_flags);
void io_figures_free(struct io_figures *figures);

/* Functions of a layer that is some; its rows are to be freed, but not what they point at. */
struct table io_functions_of(const struct io_figures *figures, enum io_layer layer);

/* A table a layer, from the top to the bottom; hist: a stage of requests, or -1. */
void io_figures_print(FILE *out, const struct io_figures *figures, int hist);
/* As a document, on one line if is_line. */
void json_print_io(FILE *out, const struct io_figures *figures, bool is_line);

#endif
