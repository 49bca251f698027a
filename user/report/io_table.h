/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IO_TABLE_H
#define IO_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "client/client.h"
#include "report/number_names.h"
#include "report/table.h"

/* The parts of a row are stages. The whole request is Q2C, with its bytes and errors. */
extern const struct table_kind io_kind;

/* One row per disk and operation. */
enum io_key {
	IO_NAME,	/* name of the disk */
	IO_DEV,		/* major << 20 | minor */
	IO_OP		/* enum ktrace_block_op */
};

/* Reads the module's figures. Returns 0 or a negative errno. */
int io_read(struct table *requests, struct ktr *ktr, uint64_t session, uint32_t read_flags);

/* Prints the histograms of a stage, enum ktrace_block_stage. */
void io_print_hists(FILE *out, const struct table *requests, int stage);

#endif
