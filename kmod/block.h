/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_H
#define KT_BLOCK_H

#include <linux/types.h>

struct kt_place;
struct kt_session;

/*
 * Requests of disks are counted in the session from the one on, and no more from the other
 * on, after which no hit runs. Both again and again; process context, sleep. 0, or a
 * negative errno.
 */
int kt_block_attach(struct kt_session *session);
void kt_block_detach(struct kt_session *session);
void kt_block_put(struct kt_session *session);	/* of one that goes */

/* The device, major << 20 | minor, that a number of a function is of. False: none. */
bool kt_block_place_of(const struct kt_session *session, u32 func, struct kt_place *place);

#endif
