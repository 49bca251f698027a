/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IO_FIGURES_H
#define IO_FIGURES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "client/client.h"
#include "report/functions.h"
#include "report/io_layers.h"
#include "report/io_table.h"
#include "report/syscalls.h"

/* Layers of the same kind share a session. */
enum io_kind {
	IO_KIND_SYSCALLS,
	IO_KIND_FUNCTIONS,	/* all layers that consist of kernel functions */
	IO_KIND_SCHED,
	IO_KIND_BLOCK,
	IO_NR_KINDS,
};

enum io_kind io_kind_of(enum io_layer layer);

/* The figures of all layers. */
struct io_figures {
	const struct io_layers *layers;
	const struct ktr_session *sessions[IO_NR_KINDS];	/* NULL if not used */
	uint64_t duration_ns;
	bool has_hists;		/* histograms of requests, in JSON */
	struct syscalls syscalls;
	struct table functions;
	struct table sched;	/* by thread, needs KTRACE_SINK_TABLE */
	struct table block;
};

/* Reads the layers and sessions that are set. Returns 0 or a negative errno. */
int io_figures_read(struct io_figures *figures, struct ktr *ktr, uint32_t read_flags);
void io_figures_free(struct io_figures *figures);

/* Prints one table per layer, from the top to the bottom. hist: a stage of requests, or -1. */
void io_figures_print(FILE *out, const struct io_figures *figures, int hist);
/* Calls fn with the table of each layer. */
void io_figures_each(const struct io_figures *figures,
		     void (*fn)(void *arg, const struct table *table), void *arg);
struct json_object *io_document(const struct io_figures *figures);

#endif
