/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_DEVS_H
#define KT_BLOCK_DEVS_H

#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/types.h>

#include <uapi/ktrace.h>

/* The devices of a session, by number: that of the place in the table. */
struct kt_block_devs {
	u32 key[KTRACE_BLOCK_DEVS];	/* dev + 1; 0: free */
	bool is_closed;			/* those that were asked for, and no others */
};

static __always_inline u32 kt_block_devs_home(u32 dev)
{
	return hash_32(dev, ilog2(KTRACE_BLOCK_DEVS));
}

u32 kt_block_devs_number_slow(struct kt_block_devs *devs, u32 dev);

/*
 * Any context. The number of a device, which gets one if it is new; KTRACE_BLOCK_DEVS: there
 * are too many, or others were asked for.
 */
static __always_inline u32 kt_block_devs_number(struct kt_block_devs *devs, u32 dev)
{
	u32 home = kt_block_devs_home(dev);

	return likely(READ_ONCE(devs->key[home]) == dev + 1) ? home :
	       kt_block_devs_number_slow(devs, dev);
}

/* False: the number is of no single device. */
bool kt_block_devs_get(const struct kt_block_devs *devs, u32 number, u32 *dev);

#endif
