/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PROCS_H
#define PROCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/err.h"

/* Returns true if the process maps the code of the file at path (in this process's root). */
bool procs_maps(pid_t pid, const char *path);

/*
 * Finds the file that a process maps by this path. It may be deleted, or another file than the one
 * at this path here. Returns a path that opens it, or NULL. The caller frees it.
 */
char *procs_file(pid_t pid, const char *path);

/* Returns how many processes map the file's code. */
size_t procs_count(const char *path);

/*
 * Returns a process that shows which libraries FILE uses, or 0. The process runs FILE, or at least
 * maps it. It must be one that only root or FILE's owner can influence: with their user IDs, and in
 * this process's root and mount namespace. Any user can map FILE beside other libraries
 * (LD_PRELOAD), or mount other libraries in a mount namespace.
 */
pid_t procs_reference(const char *path);

/* Lists these processes, and returns how many. The caller frees the list. */
size_t procs_list(const char *path, pid_t **pids);

/* Counts processes that run a file of this path which was replaced or deleted. */
size_t procs_count_replaced(const char *path);

/* Returns true if the process exists and one of its threads has not ended. */
bool procs_is_alive(pid_t pid);

/* Returns 0 if the process exists and runs a program, so that it can be traced; -1 with err set. */
int procs_check(pid_t pid, struct err *err);

/* Checks several processes, and that the pids are those of /proc. Returns 0, or -1 with err set. */
int procs_check_all(const int32_t *pids, size_t nr, struct err *err);

/* Like procs_check_all(), but also accepts processes that procs_is_alive() accepts. */
int procs_check_alive(const int32_t *pids, size_t nr, struct err *err);

/* Returns the CPU time of these processes so far, in ns. A process that has ended counts 0. */
uint64_t procs_cpu_time(const pid_t *pids, size_t nr);

/* Returns, for example, "redis-server (4711), nginx (12) and 3 more". The caller frees it. */
char *procs_describe(const int32_t *pids, size_t nr);

/* Returns 0 if /proc shows this process's pid namespace, or -1 with err set. */
int procs_check_namespace(struct err *err);

#endif
