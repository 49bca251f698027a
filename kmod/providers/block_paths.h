/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_PATHS_H
#define KT_BLOCK_PATHS_H

#include <linux/types.h>

/*
 * The disks that hidden disks are paths of. Both are numbers of devices. Any context, both. disk_of
 * returns the path itself if no bio was seen on it.
 */
void kt_block_paths_note(u32 path, u32 disk);
u32 kt_block_paths_disk_of(u32 path);

#endif
