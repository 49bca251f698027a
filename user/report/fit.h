/* SPDX-License-Identifier: GPL-2.0 */
/* --max-size: the smallest paths are left out of a file until it fits. */
#ifndef FIT_H
#define FIT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct output_format;
struct paths;

/* What was left out. */
struct fit {
	size_t nr, all_nr;		/* paths */
	uint64_t ns, all_ns;		/* their own times */
};

/*
 * Writes paths in a format that has paths(), with at most max bytes; 0: no limit. A path that is left
 * out takes less time than any that is kept. Without any path, the file may still exceed max.
 */
void fit_put(FILE *out, const struct output_format *format, const struct paths *paths, uint64_t max,
	     struct fit *fit);

#endif
