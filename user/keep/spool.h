/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SPOOL_H
#define SPOOL_H

#include <stddef.h>

/*
 * Items that are put one after the other, and taken back from the last one on. One block of them is in
 * memory, the others in a file without a name, which gets shorter while items are taken.
 */
struct spool;

#define SPOOL_ITEM 4096		/* the longest item, in bytes */

/* folder: where the file is made when more than one block is needed. */
struct spool *spool_create(int folder);
void spool_free(struct spool *spool);

/* After a failure, nothing more is put. len is a multiple of 8. */
void spool_put(struct spool *spool, const void *item, size_t len);
/* Returns the last item, which is valid until the next call; NULL: there is none, or it failed. */
const void *spool_take(struct spool *spool, size_t *len);
/* Returns the errno of the first failure, or 0. */
int spool_error(const struct spool *spool);

#endif
