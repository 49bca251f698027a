/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IO_TABLE_H
#define IO_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "nl/nl.h"
#include "report/io_rows.h"

/* How much, and how long: a line an operation on a disk each. */
void io_table_print(FILE *out, const struct io_rows *rows, uint64_t duration_ns);

/* Histograms of a stage, enum ktrace_block_stage. */
void io_table_print_hists(FILE *out, const struct io_rows *rows, int stage);

#endif
