/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IO_ROWS_H
#define IO_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nl/nl.h"
#include "report/hist.h"
#include "system/disks.h"

#define IO_NR_STAGES (KTRACE_BLOCK_Q2C + 1)

/* A stage of requests; calls, bytes and errors of Q2C are those of the requests. */
struct io_stage {
	struct ktrace_stats stats;
	struct hist hist;
};

#define IO_ALL_OPS UINT32_MAX

#define IO_NAME_LEN 512

/* What is known of an operation on a disk, or of what they are grouped by. */
struct io_row {
	char name[IO_NAME_LEN];	/* the disk's, the file's, or who queued them; "all", "-" */
	bool is_named;		/* of a file or cgroup: it is its path */
	uint64_t id;		/* its inode; 0: of none, or it is not known */
	uint32_t dev;		/* major << 20 | minor; of a file, its file system's */
	bool has_dev;		/* it is one disk's, not those' beyond the module's table */
	uint32_t number;	/* the session's, of the disk; the task's */
	uint32_t op;		/* enum ktrace_block_op, or IO_ALL_OPS */
	struct io_stage stages[IO_NR_STAGES];
};

/* A row of each ... */
enum io_by {
	IO_BY_NONE,		/* operation on a disk */
	IO_BY_DEV, IO_BY_OP,
	IO_BY_STAGE,		/* one of all, of which stages are shown */
	/* operation of a task, or of those of one name: without min, max, errors, histograms */
	IO_BY_COMM, IO_BY_PID, IO_BY_TID,
	IO_BY_FILE, IO_BY_CGROUP	/* likewise */
};

#define IO_BYS "dev|op|stage|comm|pid|tid|file|cgroup"
enum io_by io_by_find(const char *name);	/* NULL: none */
const char *io_by_name(enum io_by by);
bool io_is_by_task(enum io_by by);
bool io_is_of_tree(enum io_by by);	/* rows of the module's tree */

struct io_rows {
	enum io_by by;
	struct io_row *rows;	/* in order of disks and operations; of a tree: the most time first */
	size_t nr;
};

/* The module's figures; rows of tasks of its tree. 0 or a negative errno. */
int io_rows_read(struct io_rows *rows, struct knl *nl, uint64_t session, uint32_t read_flags,
		 enum io_by by);
void io_rows_free(struct io_rows *rows);

const char *io_op_name(uint32_t op);		/* "read", "all" */
const char *io_stage_name(uint32_t stage);	/* "q2g" */
int io_stage_find(const char *name);		/* or -1 */

/* The requests, all stages of them. */
const struct ktrace_stats *io_requests(const struct io_row *row);
/* permille took no longer. */
uint64_t io_percentile(const struct io_stage *stage, unsigned int permille);

/* A node of a stage counts in a row. The self time of a whole request's node is its bytes. */
static inline void io_row_add_node(struct io_row *row, const struct ktrace_node *node)
{
	uint32_t stage = KTRACE_BLOCK_STAGE(node->func);

	if (stage >= IO_NR_STAGES)
		return;
	row->stages[stage].stats.calls += node->calls;
	row->stages[stage].stats.total_ns += node->total_ns;
	row->stages[stage].stats.bytes += node->self_ns;
}

#endif
