// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of mapped code. The kernel calls perf_event_mmap() for each mapping that is new or has a
 * new protection, and uprobe_munmap() for each part of a mapping of a file that is removed, also by
 * mremap(). The first holds the mmap lock for writing. The second may not: then the mapping has
 * left the list of mappings before, or stays in it.
 */
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "compat/mm.h"
#include "core/unwind_changes.h"

static bool are_seen;	/* written under kt_unwind_lock */
static kt_unwind_change_fn changed;	/* does not change while the probes are set */

static int unwind_changes_mapped(struct kprobe *kprobe, struct pt_regs *regs)
{
	const struct vm_area_struct *vma = (const struct vm_area_struct *)regs->di;

	if (vma->vm_flags & VM_EXEC)
		changed(vma->vm_mm, vma->vm_start, vma->vm_end, vma->vm_file);
	return 0;
}

static int unwind_changes_unmapped(struct kprobe *kprobe, struct pt_regs *regs)
{
	const struct vm_area_struct *vma = (const struct vm_area_struct *)regs->di;

	if (vma->vm_flags & VM_EXEC)
		changed(vma->vm_mm, regs->si, regs->dx, false);
	return 0;
}

static struct kprobe mapped, unmapped;

static int unwind_changes_set(struct kprobe *kprobe, const char *name,
			      kprobe_pre_handler_t handler, unsigned int offset)
{
	/* The kernel refuses a struct that it has used. */
	memset(kprobe, 0, sizeof(*kprobe));
	kprobe->symbol_name = name;
	kprobe->offset = offset;
	kprobe->pre_handler = handler;
	return register_kprobe(kprobe);
}

#define MOST_LEN 15	/* of an instruction */

/*
 * 3.10.0-1160 cannot copy an instruction that addresses memory relative to itself, and says EINVAL.
 * perf_event_mmap(), which has no place for the function tracer, may begin with such a load. The
 * arguments are still in place behind it, so the probe is set there. EILSEQ: not between
 * instructions. Each refused copy costs the kernel a slot for ever, so the place is kept.
 */
static int unwind_changes_register(struct kprobe *kprobe, const char *name,
				   kprobe_pre_handler_t handler)
{
	unsigned int offset = kprobe->offset;
	int error = unwind_changes_set(kprobe, name, handler, offset);

	if (error != -EINVAL || offset)
		return error;
	do
		error = unwind_changes_set(kprobe, name, handler, ++offset);
	while (error == -EILSEQ && offset < MOST_LEN);
	return error;
}

void kt_unwind_changes_begin(kt_unwind_change_fn fn)
{
	int error;

	changed = fn;
	error = unwind_changes_register(&mapped, "perf_event_mmap", unwind_changes_mapped);
	if (!error) {
		error = unwind_changes_register(&unmapped, "uprobe_munmap",
						unwind_changes_unmapped);
		if (error)
			unregister_kprobe(&mapped);
	}
	WRITE_ONCE(are_seen, !error);
}

void kt_unwind_changes_end(void)
{
	struct kprobe *both[] = { &mapped, &unmapped };

	if (are_seen)
		unregister_kprobes(both, ARRAY_SIZE(both));
	WRITE_ONCE(are_seen, false);
}

u64 kt_unwind_changes_unseen(const struct mm_struct *mm)
{
	if (likely(READ_ONCE(are_seen)))
		return READ_ONCE(mapped.nmissed) + READ_ONCE(unmapped.nmissed);
	return kt_mm_stamp(mm) ^ (u64)READ_ONCE(mm->exec_vm) << 40;
}
