/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CHOSEN_FILES_H
#define CHOSEN_FILES_H

#include <stdint.h>

#include "util/err.h"
#include "util/match.h"

/*
 * Opens the named files and folders, for the module. fds has room for KTRACE_BLOCK_FILES
 * descriptors. Returns how many were opened, or -1 with err set if one cannot be opened.
 */
int chosen_files_open(const struct match *files, const struct match *folders, uint32_t *fds,
		      struct err *err);

#endif
