/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GZIP_H
#define GZIP_H

#include <stddef.h>
#include <stdio.h>

/*
 * Writes bytes as a gzip file of blocks that are stored, not compressed: readers that insist on gzip
 * take it, and it needs no library, which a static binary could not load.
 */
void gzip_put(FILE *out, const unsigned char *bytes, size_t len);

#endif
