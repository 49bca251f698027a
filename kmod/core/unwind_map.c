// SPDX-License-Identifier: GPL-2.0
/* The mapped code of one process whose files have tables for unwinding. */
#include <linux/mm.h>
#include <linux/sched.h>

#include "compat/mm.h"
#include "core/unwind_changes.h"
#include "core/unwind_map.h"
#include "lib/mem.h"

#define MOST_RANGES 1024	/* the code of further mappings is walked by frame pointers */
#define MOST_MAPPINGS (1U << 18)	/* are looked at; four times the kernel's usual limit */
#define MAPPINGS_AT_ONCE 256

static bool unwind_map_is_vdso(const struct vm_area_struct *vma)
{
	return !vma->vm_file && vma->vm_mm->context.vdso &&
	       vma->vm_start == (unsigned long)vma->vm_mm->context.vdso;
}

static bool unwind_map_is_code(const struct vm_area_struct *vma)
{
	return (vma->vm_flags & VM_EXEC) && (vma->vm_file || unwind_map_is_vdso(vma));
}

static u32 unwind_map_count(struct mm_struct *mm)
{
	KT_VMA_ITER(it, mm);
	struct vm_area_struct *vma;
	u32 nr = 0, seen = 0;

	kt_for_each_vma(it, vma) {
		nr += unwind_map_is_code(vma);
		if (nr == MOST_RANGES || ++seen == MOST_MAPPINGS)
			break;
		if (seen % MAPPINGS_AT_ONCE == 0)
			cond_resched();
	}
	return nr;
}

static struct kt_unwind_shown unwind_map_shown(const struct vm_area_struct *vma)
{
	const struct inode *inode = vma->vm_file ? kt_vma_shown_inode(vma) : NULL;

	return (struct kt_unwind_shown){
		.ino = inode ? inode->i_ino : 0, .dev = inode ? inode->i_sb->s_dev : 0,
	};
}

static void unwind_map_add(struct kt_unwind_map *map, const struct vm_area_struct *vma)
{
	struct kt_unwind_key key = kt_unwind_key_of(kt_vma_inode(vma));
	struct kt_unwind_file *file = kt_unwind_store_find(&key);
	u64 offset = vma->vm_file ? (u64)vma->vm_pgoff << PAGE_SHIFT : 0;

	map->has_unknown |= !file && vma->vm_file;
	if (!file || !file->bytes)
		return;
	file->shown = unwind_map_shown(vma);
	map->ranges[map->nr++] = (struct kt_unwind_range){
		.start = vma->vm_start, .end = vma->vm_end, .delta = offset - vma->vm_start,
		.file = file,
	};
}

/* The mappings are the same as in unwind_map_count(): the caller holds the mmap lock. */
static void unwind_map_fill(struct kt_unwind_map *map, struct mm_struct *mm)
{
	KT_VMA_ITER(it, mm);
	struct vm_area_struct *vma;
	u32 nr = 0, seen = 0;

	kt_for_each_vma(it, vma) {
		if (unwind_map_is_code(vma)) {
			if (nr++ == map->max)
				break;
			unwind_map_add(map, vma);
		}
		if (++seen == MOST_MAPPINGS)
			break;
		if (seen % MAPPINGS_AT_ONCE == 0)
			cond_resched();
	}
}

static size_t unwind_map_len(u32 max)
{
	return sizeof(struct kt_unwind_map) + max * sizeof(struct kt_unwind_range);
}

struct kt_unwind_map *kt_unwind_map_create(struct mm_struct *mm)
{
	u32 max = unwind_map_count(mm);
	struct kt_unwind_map *map = kt_mem_alloc(unwind_map_len(max));

	if (!map)
		return NULL;
	map->max = max;
	map->generation = kt_unwind_store_generation();
	map->unseen = kt_unwind_changes_unseen(mm);
	unwind_map_fill(map, mm);
	return map;
}

void kt_unwind_map_free(struct kt_unwind_map *map)
{
	if (map)
		kt_mem_free(map, unwind_map_len(map->max));
}

const struct kt_unwind_range *kt_unwind_map_find(const struct kt_unwind_map *map, u64 addr)
{
	const struct kt_unwind_range *range = map->ranges;
	u32 nr = map->nr, half;

	while (nr) {
		half = nr / 2;
		if (range[half].end > addr) {
			nr = half;
		} else {
			range += half + 1;
			nr -= half + 1;
		}
	}
	return range < map->ranges + map->nr && range->start <= addr ? range : NULL;
}

bool kt_unwind_map_overlaps(const struct kt_unwind_map *map, unsigned long start, unsigned long end)
{
	u32 i;

	for (i = 0; i < map->nr; i++)
		if (map->ranges[i].start < end && start < map->ranges[i].end)
			return true;
	return false;
}

bool kt_unwind_map_has_unused(const struct kt_unwind_map *map)
{
	u32 i;

	for (i = 0; i < map->nr; i++)
		if (!map->ranges[i].file->nr_users)
			return true;
	return false;
}
