/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SNAPSHOTS_H
#define SNAPSHOTS_H

#include <stdbool.h>

#include "util/err.h"

/*
 * A folder of snapshots: DIR/0001, DIR/0002, ..., each a recording.
 *
 * Creates the folder, or opens one that is empty or has snapshots, or a recording, that can be
 * replaced; removes nothing. Returns a descriptor, or -1 with err set. path: from own_folder_path().
 */
int snapshots_open(const char *path, bool is_forced, bool *is_new, struct err *err);
/* Removes what snapshots_open() has found. Returns 0 or a negative errno. */
int snapshots_remove(int folder);
int snapshots_remove_one(int folder, unsigned int nr);
/* Returns the path of the snapshot with this number. The caller frees it. */
char *snapshots_path(const char *path, unsigned int nr);

#endif
