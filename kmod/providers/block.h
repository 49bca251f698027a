/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_H
#define KT_BLOCK_H

#include <linux/types.h>

struct kt_peers;
struct kt_place;
struct kt_session;

extern struct kt_peers kt_block_peers;	/* that count requests of disks */
void kt_block_put(struct kt_session *session);	/* of one that goes */

/* The device, major << 20 | minor, that a number of a function is of. False: none. */
bool kt_block_place_of(const struct kt_session *session, u32 func, struct kt_place *place);

#endif
