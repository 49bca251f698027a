/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ROOT_H
#define ROOT_H

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/types.h>

/*
 * Files below a folder that is the root of another process: no link leads out of it. A path is
 * looked up once; afterwards only descriptors are passed on, so that the file cannot be replaced.
 */
#define ROOT_OWN AT_FDCWD	/* the root of this process: relative paths are allowed */

/*
 * Returns the root of a path that begins with "/proc/PID/root/", or ROOT_OWN. Sets *rest to the
 * path inside of it.
 */
int root_of_path(const char *path, const char **rest);
/* Returns the root of a process, or -1 with errno set. */
int root_of_process(pid_t pid);
void root_close(int root);

/*
 * Like stat(2) and fstatat(2), but only set st_dev and st_ino, from what the kernel has in memory: a
 * file of another user may be on a server that never answers (NFS, FUSE).
 */
int root_look(const char *path, struct stat *st);
int root_look_at(int folder, const char *path, struct stat *st);

/* Returns a descriptor (O_PATH) of what the path names, or -1 with errno set. */
int root_find(int root, const char *path);

/*
 * Opens a regular file for reading, and sets *st. Returns -1 with errno set; EINVAL if the path
 * names something else. Devices, fifos and folders are never opened.
 */
int root_open(int root, const char *path, struct stat *st);

/*
 * Opens a path that names its own root, as in root_of_path(): no link inside of a container leads
 * to a file of the machine.
 */
int root_open_path(const char *path, struct stat *st);

/*
 * Like realpath(3), but a path below /proc/PID/root stays below it. Returns 0, or -1 with errno
 * set.
 */
int root_realpath(const char *path, char real[PATH_MAX]);

/*
 * Gets the path, inside of root, of the file that a descriptor has open, with links resolved.
 * Returns 0 or -1.
 */
int root_path(int root, int fd, char path[PATH_MAX]);

#endif
