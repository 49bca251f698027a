/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OWN_FOLDER_H
#define OWN_FOLDER_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/err.h"

/*
 * A folder that ktrace writes files to. Another user may have prepared it to redirect what root
 * writes: it must belong to this user, and no other user may write to it. The last component of its
 * path must not be a symbolic link.
 */

/* Returns the path without slashes at its end, behind which a link would be followed. */
char *own_folder_path(const char *path);
/*
 * Creates the folder, which only this user may read, or opens it. path: from own_folder_path().
 * Returns a descriptor, or -1 with err set.
 */
int own_folder_open(const char *path, bool *is_new, struct err *err);
/* Sets err to a sentence for a folder that has files already. Returns -1. */
int own_folder_refuse(const char *path, struct err *err);

bool own_folder_is_empty(int folder);
/* Creates a new file; never opens one that another user may have created. Returns -1 on failure. */
int own_folder_create(int folder, const char *name);
/*
 * Appends len bytes to a file of own_folder_create(), which has at bytes: all of them, or none.
 * Returns 0 or a negative errno.
 */
int own_folder_append(int fd, off_t at, const void *data, size_t len);

#endif
