/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OUT_H
#define OUT_H

#include <stdio.h>

#include "err.h"

/* Standard output, or the file of -o. NULL with err set. */
FILE *out_open(const char *path, struct err *err);

/*
 * Sends on what was written; returns 0, or -1 with err set when something could not be:
 * call it at least at the end, before out_close().
 */
int out_flush(FILE *out, const char *path, struct err *err);
int out_close(FILE *out, const char *path, struct err *err);

#endif
