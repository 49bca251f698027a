/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "system/user.h"
#include "util/err.h"

/* A program that waits in front of its first instruction. */
struct launch {
	char *path;
	char *image;			/* the ELF file that runs: path, or a script's interpreter */
	const struct user *user;	/* it runs as this user, in its own session; NULL: as ktrace, in ktrace's */
	bool is_output_error;	/* what it writes to standard output goes to standard error */
	pid_t pid;
	int go;		/* written to, to let it run */
	int failure;	/* read from: the errno of an exec that failed */
};

/* Looks along $PATH as a shell does. Returns 0, or with err set 126 or 127. */
int launch_find(struct launch *launch, const char *program, struct err *err);

/* Starts the child that will become the program. Returns 0, or -1 with err set. */
int launch_fork(struct launch *launch, char **argv, struct err *err);

/* Lets it run. Returns 0, or with err set 126 or 127: it could not be executed. */
int launch_go(struct launch *launch, struct err *err);

/* Ends a child that was not let go. */
void launch_cancel(struct launch *launch);

/* Ends this process as the child ended: by its status, or by the same signal. */
void launch_exit_like(int wait_status) __attribute__((noreturn));

#endif
