/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPARE_UNLIKE_H
#define COMPARE_UNLIKE_H

#include "keep/compare.h"

/* Returns the command line of a run, which the caller frees. */
char *unlike_command(const struct compare_run *run);

/*
 * Calls fn for everything in which the sides are unlike, as far as their documents say: hosts,
 * kernels, versions, commands, options, programs. a, b: what the runs of each side have.
 */
typedef void unlike_fn(void *arg, const char *what, const char *a, const char *b);
void unlike_each(const struct comparison *comparison, unlike_fn *fn, void *arg);

#endif
