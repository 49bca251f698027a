/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CHOSEN_FILES_H
#define CHOSEN_FILES_H

#include <stdint.h>

#include "util/err.h"
#include "util/match.h"

/*
 * Opens the files and folders that are named, for the module. fds has room for
 * KTRACE_BLOCK_FILES. How many they are; or -1, with err set: one is none.
 */
int chosen_files_open(const struct match *files, const struct match *folders, uint32_t *fds,
		      struct err *err);

#endif
