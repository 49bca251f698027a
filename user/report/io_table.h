/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IO_TABLE_H
#define IO_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "nl/nl.h"
#include "report/table.h"

/* The parts of a row are stages; the whole request is Q2C, with its bytes and errors. */
#define IO_NR_STAGES (KTRACE_BLOCK_Q2C + 1)

/* A row is an operation on a disk. */
enum io_key {
	IO_NAME,	/* of the disk */
	IO_DEV,		/* major << 20 | minor */
	IO_OP		/* enum ktrace_block_op */
};

void io_init(struct table *requests);
/* A row of such a name and operation. */
struct row *io_add(struct table *requests, const char *name, uint32_t op);
/* The module's figures. 0 or a negative errno. */
int io_read(struct table *requests, struct knl *nl, uint64_t session, uint32_t read_flags);

const char *io_op_name(uint32_t op);		/* "read" */
const char *io_stage_name(uint32_t stage);	/* "q2g" */
int io_stage_find(const char *name);		/* or -1 */

/* How much, and how long: a line a row each. */
void io_print(FILE *out, const struct table *requests);
/* Histograms of a stage, enum ktrace_block_stage. */
void io_print_hists(FILE *out, const struct table *requests, int stage);
struct json_object *io_json(const struct table *requests);

#endif
