/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IO_ROWS_H
#define IO_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disks.h"
#include "hist.h"
#include "nl.h"

#define IO_NR_STAGES (KTRACE_BLOCK_Q2C + 1)

/* A stage of requests; calls, bytes and errors of Q2C are those of the requests. */
struct io_stage {
	struct ktrace_stats stats;
	struct hist hist;
};

/* What is known of an operation on a disk. */
struct io_row {
	char disk[DISK_NAME_LEN];
	uint32_t dev;		/* major << 20 | minor */
	bool has_dev;		/* it is one disk's, not those' beyond the module's table */
	uint32_t number;	/* the session's, of the disk */
	uint32_t op;		/* enum ktrace_block_op */
	struct io_stage stages[IO_NR_STAGES];
};

struct io_rows {
	struct io_row *rows;	/* in order of disks and operations */
	size_t nr;
};

/* The module's figures. 0 or a negative errno. */
int io_rows_read(struct io_rows *rows, struct knl *nl, uint64_t session, uint32_t read_flags);
void io_rows_free(struct io_rows *rows);

const char *io_op_name(uint32_t op);		/* "read" */
const char *io_stage_name(uint32_t stage);	/* "q2g" */
int io_stage_find(const char *name);		/* or -1 */

/* The requests, all stages of them. */
const struct ktrace_stats *io_requests(const struct io_row *row);
/* permille took no longer. */
uint64_t io_percentile(const struct io_stage *stage, unsigned int permille);

#endif
