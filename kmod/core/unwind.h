/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_UNWIND_H
#define KT_UNWIND_H

#include <linux/types.h>

struct file;

/* The tables for unwinding that a session was given (KTRACE_F_UNWIND). */
struct kt_unwind;

/* A part of a table, as in UNWIND_ADD. */
struct kt_unwind_part {
	u64 socket;			/* that sends it */
	struct file *file;		/* NULL: the vDSO */
	const void *bytes;
	u32 len, offset;
	u32 table_len;			/* 0: the file has no table */
};

/* All functions: process context, sleep. */

/*
 * Returns NULL if there is no memory. The session has no table yet. Its events number processes as
 * current does.
 */
struct kt_unwind *kt_unwind_create(u64 session);
/* No hit of the session runs any more. unwind may be NULL. */
void kt_unwind_put(struct kt_unwind *unwind);

/*
 * Takes the next part of a table. Returns 0, -EEXIST if the file is known already: the session uses
 * what is known then; -EINVAL if the part is not the next one, or the table is damaged; -E2BIG if
 * the table or the number of files is too large, -EBUSY if another socket sends a table, -ENOMEM.
 */
int kt_unwind_add(struct kt_unwind *unwind, const struct kt_unwind_part *part);
/*
 * A socket was closed: what it has not sent completely cannot be completed any more. It is freed by
 * the next upload, or with the session. Atomic context.
 */
void kt_unwind_close_socket(struct kt_unwind *unwind, u64 socket);

#endif
