// SPDX-License-Identifier: GPL-2.0
/*
 * A path learns its disk from the bios that are queued on the disk and get their requests from the
 * path. A request without a bio, as for a flush, finds the disk here.
 */
#include <linux/compiler.h>
#include <linux/kernel.h>

#include "providers/block_paths.h"

#define SLOTS 256	/* the numbers of paths follow each other */

static u64 block_paths_slots[SLOTS];	/* path << 32 | disk */

void kt_block_paths_note(u32 path, u32 disk)
{
	u64 *slot = &block_paths_slots[path % SLOTS], both = (u64)path << 32 | disk;

	if (READ_ONCE(*slot) != both)
		WRITE_ONCE(*slot, both);
}

u32 kt_block_paths_disk_of(u32 path)
{
	u64 both = READ_ONCE(block_paths_slots[path % SLOTS]);

	return both >> 32 == path ? (u32)both : path;
}
