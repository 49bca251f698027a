/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

#include "system/launch.h"
#include "system/user.h"
#include "util/err.h"

/* The program that a command runs: it gets the signals meant for it, and is waited for. */
struct program {
	struct launch launch;
	struct user user;
	pid_t witness;
	int wait_status;
	bool is_ended;
};

/*
 * Looks for it, and for the user that it is to run as (NULL: ktrace's). Returns 0, or with err
 * set the exit code of the command.
 */
int program_find(struct program *program, const char *name, const char *user, struct err *err);

/* Starts it, up to its first instruction, which it does not run. The same results. */
int program_fork(struct program *program, char **argv, struct err *err);
/* Lets it go on. The same results; on failure it is gone. */
int program_go(struct program *program, struct err *err);
/* It will not run after all. */
void program_cancel(struct program *program);

/* It runs with the rights of its owner, whatever the user: it is set-user-ID. */
bool program_is_set_id(const struct program *program);

/* Signals that came are passed on; is_ended says whether it runs still. */
void program_look(struct program *program);
/* Until it ends, or the second Ctrl-C. */
void program_wait(struct program *program);

/* No more signals are passed on. */
void program_free(struct program *program);
/* Ends this process as the program did, or as Ctrl-C does. */
void program_exit_like(const struct program *program) __attribute__((noreturn));

#endif
