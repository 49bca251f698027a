/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IO_TABLE_H
#define IO_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "nl/nl.h"
#include "report/graph.h"
#include "report/table.h"

/* The parts of a row are stages; the whole request is Q2C, with its bytes and errors. */
#define IO_NR_STAGES (KTRACE_BLOCK_Q2C + 1)

/* A row of each ... */
enum io_by {
	IO_BY_NONE,		/* operation on a disk */
	IO_BY_DEV, IO_BY_OP,
	IO_BY_STAGE,		/* one of all, of which stages are shown */
	/* operation of a task, or of all tasks of a name: without min, max, errors, histograms */
	IO_BY_COMM, IO_BY_PID, IO_BY_TID,
	IO_BY_FILE, IO_BY_CGROUP,	/* the same of these */
	IO_NR_BYS
};

#define IO_BYS "dev|op|stage|comm|pid|tid|file|cgroup"
enum io_by io_by_find(const char *name);	/* NULL: none */
const char *io_by_name(enum io_by by);
bool io_is_of_tree(enum io_by by);	/* rows of the module's tree */

enum io_key {
	IO_NAME,	/* the disk's, the file's, or of what queued them; "all", "-" */
	IO_DEV,		/* major << 20 | minor; of a file, its file system's */
	IO_ID,		/* a file's inode, a cgroup's number; its text is the path */
	IO_TASK,	/* a pid or tid; its text is what it is called */
	IO_OP		/* enum ktrace_block_op */
};

void io_init(struct table *requests, enum io_by by);
/* A row of such a name and operation. */
struct row *io_add(struct table *requests, const char *name, uint32_t op);
/* The module's figures. 0 or a negative errno. */
int io_read(struct table *requests, struct knl *nl, uint64_t session, uint32_t read_flags,
	    enum io_by by);
/* Rows of a sorted graph, without names. */
void io_take(struct table *requests, const struct graph *graph);

void io_sort(struct table *requests);	/* the most time first */

const char *io_op_name(uint32_t op);		/* "read" */
const char *io_stage_name(uint32_t stage);	/* "q2g" */
int io_stage_find(const char *name);		/* or -1 */

/* How much, and how long: a line a row each. */
void io_print(FILE *out, const struct table *requests);
/* Histograms of a stage, enum ktrace_block_stage. */
void io_print_hists(FILE *out, const struct table *requests, int stage);
struct json_object *io_json(const struct table *requests);

#endif
