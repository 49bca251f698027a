/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PROCS_H
#define PROCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Does the process map the file's code? path as realpath() gives it, or /proc/PID/exe. */
bool procs_maps(pid_t pid, const char *path);

bool procs_is_alive(pid_t pid);

/* How many processes do; one of them in *first (0: none). */
size_t procs_count(const char *path, pid_t *first);

#endif
