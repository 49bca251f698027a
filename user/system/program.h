/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

#include "system/launch.h"
#include "system/user.h"
#include "util/err.h"

/* The program that a command runs. ktrace passes signals on to it and waits for its end. */
struct program {
	struct launch launch;
	struct user user;
	pid_t witness;
	int wait_status;
	bool is_ended;
};

/*
 * Finds the program, and the user that it runs as (NULL: the user of ktrace). Returns 0, or
 * with err set the status for the command: 126, 127 or EXIT_FAILURE.
 */
int program_find(struct program *program, char **argv, const char *user, struct err *err);

/* Starts the process, which waits before it executes the program. Returns like program_find(). */
int program_fork(struct program *program, char **argv, struct err *err);
/* Lets the program run. Returns like program_find(); on failure the process has ended. */
int program_go(struct program *program, struct err *err);
/* Ends the process instead of program_go(). */
void program_cancel(struct program *program);

/* Returns true for a set-user-ID program, which runs as its owner despite the chosen user. */
bool program_is_set_id(const struct program *program);

/* Passes on the signals that arrived, and updates is_ended. */
void program_look(struct program *program);
/* Waits until the program ends, or for the second Ctrl-C. */
void program_wait(struct program *program);

/* After this, no signals are passed on. */
void program_free(struct program *program);
/*
 * Ends this process as the program ended, or as Ctrl-C does if the program still runs. Returns like
 * launch_exit_like().
 */
void program_exit_like(const struct program *program);

#endif
