/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PROCS_H
#define PROCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/err.h"

/* Does the process map the code of the file that path names here? */
bool procs_maps(pid_t pid, const char *path);

/*
 * The file that path means to a process: the one that it maps by that path, which may be
 * another than the path's here, or deleted. To be opened by what is returned; NULL: none.
 */
char *procs_file(pid_t pid, const char *path);

/* How many processes map the file's code; one of them in *first (0: none). */
size_t procs_count(const char *path, pid_t *first);

/* The same, and all of them; to be freed. */
size_t procs_list(const char *path, pid_t **pids);

/* Processes that run a file of that path which was replaced or deleted since. */
size_t procs_count_replaced(const char *path);

/* Is there such a process, with a thread that has not ended? */
bool procs_is_alive(pid_t pid);

/* Can the process be traced: is it there, and a program? Else -1, err says why. */
int procs_check(pid_t pid, struct err *err);

/* The same of all that were named, whose numbers must be those in /proc. */
int procs_check_all(const int32_t *pids, size_t nr, struct err *err);

/* "redis-server (4711), nginx (12) and 3 more"; to be freed. */
char *procs_describe(const int32_t *pids, size_t nr);

/* Are the numbers in /proc those of our own pid namespace? Else -1 with err set. */
int procs_check_namespace(struct err *err);

#endif
