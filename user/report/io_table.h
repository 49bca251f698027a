/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IO_TABLE_H
#define IO_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "nl/nl.h"
#include "report/table.h"

/* The parts of a row are stages. The whole request is Q2C, with its bytes and errors. */
#define IO_NR_STAGES (KTRACE_BLOCK_Q2C + 1)

/* One row per disk and operation. */
enum io_key {
	IO_NAME,	/* name of the disk */
	IO_DEV,		/* major << 20 | minor */
	IO_OP		/* enum ktrace_block_op */
};

void io_init(struct table *requests);
/* Adds a row with this name and operation. */
struct row *io_add(struct table *requests, const char *name, uint32_t op);
/* Reads the module's figures. Returns 0 or a negative errno. */
int io_read(struct table *requests, struct knl *nl, uint64_t session, uint32_t read_flags);

const char *io_op_name(uint32_t op);		/* "read" */
const char *io_stage_name(uint32_t stage);	/* "q2g" */
int io_stage_find(const char *name);		/* -1 if there is none */

/* Prints two tables, load and times, with one line per row. */
void io_print(FILE *out, const struct table *requests);
/* Prints the histograms of a stage, enum ktrace_block_stage. */
void io_print_hists(FILE *out, const struct table *requests, int stage);
struct json_object *io_json(const struct table *requests);

#endif
