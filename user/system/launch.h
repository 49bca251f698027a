/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "system/user.h"
#include "util/err.h"

/* A program whose process waits before it executes the program. */
struct launch {
	char *path;
	char *image;			/* the ELF file that runs: path, a script's interpreter, or
					 * the program that path loads (ld-linux.so.2 PROGRAM) */
	const struct user *user;	/* its user, in a session of its own; NULL: as ktrace */
	bool is_output_error;	/* its standard output goes to standard error */
	pid_t pid;
	int go;		/* pipe to the child: a byte lets it run */
	int failure;	/* pipe from the child: when it calls exec, and why exec failed */
	uint64_t began;	/* ns, CLOCK_MONOTONIC: the child called exec */
};

/* Searches argv[0] in $PATH as a shell does. Returns 0, or 126 or 127 with err set. */
int launch_find(struct launch *launch, char **argv, struct err *err);

/* Starts the child that will execute the program. Returns 0, or -1 with err set. */
int launch_fork(struct launch *launch, char **argv, struct err *err);

/* Lets the child run. Returns 0, or 126 or 127 with err set if it could not be executed. */
int launch_go(struct launch *launch, struct err *err);

/* Ends a child that launch_go() was not called for. */
void launch_cancel(struct launch *launch);

/*
 * Ends this process like the child: with its exit status, or by the same signal. Returns if the
 * signal does not end it, because it is the first process of a container.
 */
void launch_exit_like(int wait_status);

#endif
