/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_CLONE_H
#define KT_BLOCK_CLONE_H

#include <linux/types.h>

struct bio;
struct kt_block_stamps;

/* Process context, may sleep, serialized by the caller. Create: false if there is no memory. */
bool kt_block_clone_create(void);
void kt_block_clone_free(void);	/* hits that still run find nothing */

/* Notes a bio that current queues and that has stamps. RCU reader; any context but NMI, both. */
void kt_block_clone_note(struct bio *bio);
/* Returns the stamps of the bio that bio was cloned from, or NULL if it was not found. */
struct kt_block_stamps *kt_block_clone_source(struct bio *bio);

#endif
