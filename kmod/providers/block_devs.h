/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_DEVS_H
#define KT_BLOCK_DEVS_H

#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/types.h>

#include <uapi/ktrace.h>

/* The devices of a session. The number of a device is its index in the table. */
struct kt_block_devs {
	u32 key[KTRACE_BLOCK_DEVS];	/* dev + 1; 0: free */
	bool is_closed;			/* only devices given in DEVS; no device is added */
};

static __always_inline u32 kt_block_devs_home(u32 dev)
{
	return hash_32(dev, ilog2(KTRACE_BLOCK_DEVS));
}

u32 kt_block_devs_number_slow(struct kt_block_devs *devs, u32 dev);

/*
 * Returns the number of a device; a new device gets a number. Returns KTRACE_BLOCK_DEVS if the
 * table is full, or if the table is closed and does not contain the device. Any context.
 */
static __always_inline u32 kt_block_devs_number(struct kt_block_devs *devs, u32 dev)
{
	u32 home = kt_block_devs_home(dev);

	return likely(READ_ONCE(devs->key[home]) == dev + 1) ? home :
	       kt_block_devs_number_slow(devs, dev);
}

/* Finds the device of a number. Returns false if the number does not belong to a single device. */
bool kt_block_devs_get(const struct kt_block_devs *devs, u32 number, u32 *dev);

#endif
