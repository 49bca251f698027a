/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ROOT_H
#define ROOT_H

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/types.h>

/*
 * Files below a folder that another process takes for its root: no link leads
 * out of it. What a path names is looked up once; after that only descriptors
 * are passed on, so that no other file can be put in its place.
 */
#define ROOT_OWN AT_FDCWD	/* this process's own: relative paths are allowed there */

/* The root of a path that begins with "/proc/PID/root/", which *rest is inside of; or ROOT_OWN. */
int root_of_path(const char *path, const char **rest);
/* The root of a process; -1: it cannot be had. */
int root_of_process(pid_t pid);
void root_close(int root);

/* What the path names, not opened (O_PATH); -1 with errno set. */
int root_find(int root, const char *path);

/*
 * Opens a regular file for reading, and says in *st what it is; -1 with errno
 * set: EINVAL where the path names something else. Devices, fifos and folders
 * are never opened.
 */
int root_open(int root, const char *path, struct stat *st);

/*
 * The same for a path whose root it names itself, as root_of_path() says: no link of a container
 * leads to a file of the machine.
 */
int root_open_path(const char *path, struct stat *st);

/* As realpath(3), where a path below /proc/PID/root stays below it. */
int root_realpath(const char *path, char real[PATH_MAX]);

/* The path, inside of root, of what a descriptor has open, links resolved. */
int root_path(int root, int fd, char path[PATH_MAX]);

#endif
