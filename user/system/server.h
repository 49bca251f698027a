/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SERVER_H
#define SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Does a file system of this type get its data from a server (NFS, FUSE), which may never answer?
 * In a mount namespace of its own, any user can mount FUSE.
 */
bool server_is_behind(const char *type);

/* Is a server behind a file system that process pid or this process sees? dev: as in its maps. */
bool server_has(pid_t pid, uint64_t dev);

/*
 * Can a file that process pid has mapped be read? dev is its number in the maps of the process. If
 * a server is behind it, a child process tries to read it, for a second at most.
 */
bool server_answers(pid_t pid, uint64_t dev, const char *path);
/*
 * The opposite, for many files: a server that does not answer is waited for once, not for each of
 * its files. silent_dev: the last such file system, or 0; the caller keeps it.
 */
bool server_is_silent(uint64_t *silent_dev, pid_t pid, uint64_t dev, const char *path);

#endif
