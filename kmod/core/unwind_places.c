// SPDX-License-Identifier: GPL-2.0
/*
 * Where the program's frames of a stack are in files. A word has the number of a file in its upper
 * half, and an offset in the file in its lower half: tables are for code in the first GiB.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/kdev_t.h>

#include <uapi/ktrace.h>

#include "core/frames.h"
#include "core/unwind_maps.h"
#include "core/unwind_places.h"

static u64 unwind_places_word(const struct kt_unwind_range *range, u64 addr)
{
	u64 offset = addr + range->delta;

	return offset > U32_MAX ? 0 : (u64)range->file->nr << 32 | offset;
}

/* All addresses but the first are one byte behind the code that they stand for. */
void kt_unwind_places_take(const struct kt_frames *frames, u64 *words)
{
	const struct kt_unwind_map *map = frames->nr_user ? kt_unwind_maps_get() : NULL;
	const unsigned long *addrs = frames->addrs + frames->nr_kernel;
	const struct kt_unwind_range *range;
	u32 i;

	for (i = 0; i < frames->nr_user; i++) {
		range = map ? kt_unwind_map_find(map, addrs[i] - !!i) : NULL;
		words[i] = range ? unwind_places_word(range, addrs[i]) : 0;
	}
}

static void unwind_places_tell_one(u64 word, struct ktrace_place *place)
{
	struct kt_unwind_shown shown;

	memset(place, 0, sizeof(*place));
	place->offset = KTRACE_PLACE_UNKNOWN;
	if (!word || !kt_unwind_store_get_shown(upper_32_bits(word), &shown))
		return;
	place->inode = shown.ino;
	place->offset = lower_32_bits(word);
	place->major = MAJOR(shown.dev);
	place->minor = MINOR(shown.dev);
}

void kt_unwind_places_tell(const u64 *words, struct ktrace_place *places, u32 nr)
{
	u32 i;

	mutex_lock(&kt_unwind_lock);
	for (i = 0; i < nr; i++)
		unwind_places_tell_one(words[i], &places[i]);
	mutex_unlock(&kt_unwind_lock);
}
