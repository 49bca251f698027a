/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UNWINDER_H
#define UNWINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "client/client.h"

/* A file with code of traced programs, and what became of its table. */
struct unwound {
	char *name;		/* a path in a traced process or of this one, or "[vdso]" */
	char *why;		/* a clause why frame pointers are used; NULL: it has a table */
	size_t nr_rows, len;	/* of its table; len in bytes */
	uint64_t dev, inode;	/* as maps show them; inode 0: not known */
	/* the rest is the unwinder's own */
	struct unwound_key {
		uint64_t dev, inode, len;
		uint64_t changed;	/* ns: its contents, when it was compiled */
	} key;			/* from stat(2) */
	int fd;			/* while it is held; -1: the vDSO */
	void *table;		/* while it is held */
	bool is_held;		/* sessions are still to be given it */
};

/*
 * Gives the sessions of a command the tables by which stacks of programs are found. Each file is
 * compiled once. All members are 0 at first.
 *
 * Before the sessions are made, the files of a program or of chosen processes are compiled. Each
 * session is given all of them before it begins, so that the first stack is found by them. Other
 * files follow when the module reports that code of them was hit.
 */
struct unwinder {
	struct ktr *ktr;	/* NULL: stacks are found by frame pointers */
	struct unwound *files;	/* in the order in which they were found */
	size_t nr;
	uint64_t *sessions;
	size_t nr_sessions;
	struct unwinder_seen *seen;	/* a hash of the mapped files that were looked at */
	uint64_t silent_dev;	/* a file system that did not answer, or 0 */
	pid_t pid;		/* a process whose files are not complete yet, or 0 */
	uint64_t begin_by;	/* ns, CLOCK_MONOTONIC: what is not compiled by then follows later */
	bool has_begun;
};

/* Does nothing if the module cannot unwind by tables. */
void unwinder_open(struct unwinder *unwinder, struct ktr *ktr);
void unwinder_close(struct unwinder *unwinder);

/* Compile the files of a program that will run, or of processes. */
void unwinder_add_program(struct unwinder *unwinder, const char *path);
void unwinder_add_processes(struct unwinder *unwinder, const int32_t *pids, size_t nr);

/* Gives a session with KTRACE_F_UNWIND the tables that are there, and those that will follow. */
void unwinder_give(struct unwinder *unwinder, uint64_t session);
/* All sessions have begun. */
void unwinder_begun(struct unwinder *unwinder);

/*
 * Compiles the files that the module has reported, for a tenth of a second or one file; later calls
 * go on. Call it often, after ktr_notices_drain().
 */
void unwinder_look(struct unwinder *unwinder);

#endif
