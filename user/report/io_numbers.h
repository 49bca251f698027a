/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IO_NUMBERS_H
#define IO_NUMBERS_H

#include <stdint.h>

#include "report/graph.h"
#include "report/io_rows.h"

/*
 * Rows of the module's tree whose names it does not know: of files, and of cgroups. Read, and named as far as
 * that is known now. 0 or a negative errno.
 */
int io_numbers_read(struct io_rows *rows, struct knl *nl, uint64_t session, uint32_t read_flags);

/* Those of a sorted graph, by rows->by, without names. */
void io_numbers_take(struct io_rows *rows, const struct graph *graph);

#endif
