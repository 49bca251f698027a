/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STATUS_H
#define STATUS_H

#include <stdio.h>

#include "util/err.h"

/*
 * The file in which a running `ktrace serve` reports, and the lock that only one can have.
 *
 * status_lock() returns a descriptor that holds the lock, or -1 with err set.
 */
int status_lock(struct err *err);

/* Replaces the report. Returns 0, or -1 with err set. */
int status_write(const char *text, struct err *err);
void status_remove(void);

/* Prints the report of the running one. Returns 0, or -1 with err set if none runs. */
int status_print(FILE *out, struct err *err);

#endif
