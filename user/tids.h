/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TIDS_H
#define TIDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* First member of what is kept of a thread; the rest is zero at first. */
struct tid {
	uint32_t tid;
	bool is_used;
};

/* From tids to what is kept of them: an open hash table. */
struct tids {
	char *all;
	size_t len;		/* of one */
	size_t nr, room;
};

void tids_init(struct tids *tids, size_t len);
void tids_free(struct tids *tids);

/* A thread's, made when it is new. All move when one is made. */
void *tids_get(struct tids *tids, uint32_t tid);
/* The one behind it, NULL: the first; or NULL: there is none. */
void *tids_next(const struct tids *tids, const void *before);

#endif
