// SPDX-License-Identifier: GPL-2.0
/*
 * What system calls do to the page cache. Pages enter the cache, and become dirty, in the task
 * whose call causes it. The begin of a call determines the range of pages that it asks for: the
 * pages of the bytes that it may transfer. The end of the call determines how many of them it
 * touched. A touched page that the call did not add was in the cache before.
 */
#include <linux/compat.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/pagemap.h>
#include <linux/preempt.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <trace/events/filemap.h>
#include <trace/events/writeback.h>

#include "compat/mm.h"
#include "compat/page_events.h"
#include "compat/syscall_args.h"
#include "compat/tracepoint.h"
#include "lib/arch.h"
#include "providers/syscall_pages.h"
#include "providers/syscall_task.h"

/* RWF_APPEND and RWF_NOAPPEND. Older kernels refuse calls with these flags. */
#define FLAG_APPEND	0x10
#define FLAG_NOAPPEND	0x20

bool kt_syscall_pages_are_watched __read_mostly;

/* --- the pages that a call asks for ----------------------------------------- */

static u64 syscall_pages_vector_len(const char __user *from, bool is_compat, bool *is_unread)
{
	struct compat_iovec narrow = { .iov_len = 0 };
	struct iovec wide = { .iov_len = 0 };
	size_t len = is_compat ? sizeof(narrow) : sizeof(wide);

	if ((unsigned long)from >= TASK_SIZE_MAX - len ||
	    __copy_from_user_inatomic(is_compat ? (void *)&narrow : (void *)&wide, from, len))
		*is_unread = true;
	return min_t(u64, is_compat ? narrow.iov_len : wide.iov_len, MAX_RW_COUNT);
}

static u64 syscall_pages_vectors_len(unsigned long from, unsigned long nr, bool is_compat,
				     bool *is_unread)
{
	size_t len = is_compat ? sizeof(struct compat_iovec) : sizeof(struct iovec);
	u64 sum = 0;

	pagefault_disable();
	for (; nr && !*is_unread && sum < MAX_RW_COUNT; nr--, from += len)
		sum += syscall_pages_vector_len((const char __user *)from, is_compat, is_unread);
	pagefault_enable();
	return sum;
}

/* Vectors of x32 are those of 32 bits. */
static bool syscall_pages_is_compat(const struct kt_syscall_task *task)
{
	return task->nr >= KTRACE_SYSCALL_COMPAT ||
	       task_pt_regs(current)->orig_ax & __X32_SYSCALL_BIT;
}

static u64 syscall_pages_len_of(const struct kt_syscall_task *task, u32 how,
				const unsigned long *args, bool *is_unread)
{
	u64 len = args[2];

	if (how & KT_TRANSFER_VECTORS)
		len = len > UIO_MAXIOV ? 0 :
		      syscall_pages_vectors_len(args[1], len, syscall_pages_is_compat(task),
						is_unread);
	return min_t(u64, len, MAX_RW_COUNT);
}

/* Returns the inode that has the file's pages. Returns NULL if I/O bypasses the page cache. */
static struct inode *syscall_pages_inode_of(struct file *file)
{
	umode_t mode = file_inode(file)->i_mode;

	if (file->f_flags & O_DIRECT)
		return NULL;
	if (S_ISBLK(mode))
		return file->f_mapping->host;
	return S_ISREG(mode) ? kt_file_inode(file) : NULL;
}

static bool syscall_pages_is_append(const struct file *file, u32 how, const unsigned long *args)
{
	unsigned long flags = how & KT_TRANSFER_FLAGS ? args[5] : 0;

	if (!(how & KT_TRANSFER_WRITES))
		return false;
	return (flags & FLAG_APPEND) || ((file->f_flags & O_APPEND) && !(flags & FLAG_NOAPPEND));
}

static void syscall_pages_set_pos(struct kt_syscall_pages *pages, const struct file *file,
				  const struct inode *inode, u32 nr, const unsigned long *args)
{
	u32 how = kt_arch_transfer(nr);
	u64 at = kt_arch_transfer_at(nr, args);

	pages->is_at_f_pos = !(how & KT_TRANSFER_AT) || ((how & KT_TRANSFER_FLAGS) && at == -1ULL);
	if (syscall_pages_is_append(file, how, args))
		pages->pos = i_size_read(inode);
	else
		pages->pos = pages->is_at_f_pos ? READ_ONCE(file->f_pos) : at;
}

static void syscall_pages_set_range(struct kt_syscall_pages *pages, u64 len)
{
	if (!len || (s64)pages->pos < 0)
		return;
	pages->first = pages->pos >> PAGE_SHIFT;
	pages->end = ((pages->pos + len - 1) >> PAGE_SHIFT) + 1;
}

static void syscall_pages_begin_of(struct kt_syscall_task *task, struct file *file,
				   const unsigned long *args)
{
	struct kt_syscall_pages *pages = &task->pages;
	struct inode *inode = syscall_pages_inode_of(file);
	u64 len;

	if (!inode)
		return;
	len = syscall_pages_len_of(task, kt_arch_transfer(task->nr), args, &pages->is_unread);
	if (pages->is_unread)
		return;
	pages->inode = inode;
	syscall_pages_set_pos(pages, file, inode, task->nr, args);
	syscall_pages_set_range(pages, len);
}

static void syscall_pages_begin_anew(struct kt_syscall_task *task)
{
	task->pages = (struct kt_syscall_pages){ .call = task->start };
}

void kt_syscall_pages_begin(struct kt_syscall_task *task, struct pt_regs *regs)
{
	unsigned long args[6];
	struct file *file;

	syscall_pages_begin_anew(task);
	if (!kt_arch_transfer(task->nr))
		return;
	kt_syscall_args(regs, args);
	file = fget(args[0]);
	if (!file)
		return;
	syscall_pages_begin_of(task, file, args);
	fput(file);
}

/* --- what happens in it ------------------------------------------------------ */

/*
 * Returns the pages of the call that current is in. Returns NULL if no begin of a call was seen,
 * or in an interrupt.
 */
static struct kt_syscall_pages *syscall_pages_pages_of_current(void)
{
	struct kt_syscall_task *task = in_interrupt() ? NULL : kt_syscall_task_cached();

	if (!task || !task->start)
		return NULL;
	if (task->pages.call != task->start)
		syscall_pages_begin_anew(task);
	return &task->pages;
}

static void syscall_pages_add(struct kt_syscall_pages *pages, const struct inode *inode, u64 first,
			      u32 nr)
{
	u64 from = max(first, pages->first), to = min(first + nr, pages->end);
	u32 asked_for = inode == pages->inode && to > from ? to - from : 0;

	pages->missed += asked_for;
	pages->ahead += nr - asked_for;
}

static KT_ON_PAGES_ADDED(syscall_pages_on_added, added)
{
	struct kt_syscall_pages *pages;

	rcu_read_lock_sched();
	pages = syscall_pages_pages_of_current();
	if (pages)
		syscall_pages_add(pages, added->mapping->host, added->index, kt_nr_added(added));
	rcu_read_unlock_sched();
}

static KT_ON_PAGES_DIRTIED(syscall_pages_on_dirtied, dirtied)
{
	struct kt_syscall_pages *pages;

	rcu_read_lock_sched();
	pages = syscall_pages_pages_of_current();
	if (pages)
		pages->dirtied += kt_nr_dirtied(dirtied);
	rcu_read_unlock_sched();
}

/* --- what came of it ---------------------------------------------------------- */

/* Files of proc, for example, have bytes, but no pages. */
static bool syscall_pages_has_pages(const struct inode *inode)
{
	return READ_ONCE(inode->i_mapping->nrpages);
}

/*
 * Another thread that shares the file may have moved its position after it was read at the begin
 * of the call. So the range is computed backwards from the position now. If that is impossible
 * because the position was moved again, or if the descriptor now belongs to another file, the
 * position at the begin of the call is used.
 */
static u64 syscall_pages_nr_touched(const struct kt_syscall_pages *pages, struct file *file,
				    long ret)
{
	struct inode *inode = file ? syscall_pages_inode_of(file) : NULL;
	u64 pos = pages->pos, end;

	if (inode == pages->inode) {
		if (!syscall_pages_has_pages(inode))
			return 0;
		end = READ_ONCE(file->f_pos);
		if (pages->is_at_f_pos && end >= ret)
			pos = end - ret;
	}
	return ((pos + ret - 1) >> PAGE_SHIFT) - (pos >> PAGE_SHIFT) + 1;
}

static u64 syscall_pages_touched_by(const struct kt_syscall_pages *pages, struct pt_regs *regs,
				    long ret)
{
	struct file *file;
	u64 nr;

	if (!pages->inode || ret <= 0)
		return 0;
	file = fget(kt_syscall_arg(regs));
	nr = syscall_pages_nr_touched(pages, file, ret);
	if (file)
		fput(file);
	return nr;
}

bool kt_syscall_pages_get(const struct kt_syscall_task *task, struct pt_regs *regs, long ret,
			  struct kt_page_figures *figures)
{
	const struct kt_syscall_pages *pages = &task->pages;
	u64 touched;

	*figures = (struct kt_page_figures){ 0 };
	if (pages->call != task->start)
		return true;
	touched = syscall_pages_touched_by(pages, regs, ret);
	figures->misses = pages->missed;
	figures->hits = touched > pages->missed ? touched - pages->missed : 0;
	figures->ahead = pages->ahead;
	figures->dirtied = pages->dirtied;
	return !pages->is_unread || ret <= 0;
}

/* --- sessions ------------------------------------------------------------------ */

static struct kt_tracepoint probes[] = {
	KT_TRACEPOINT(mm_filemap_add_to_page_cache, syscall_pages_on_added),
	KT_TRACEPOINT(KT_DIRTIED_EVENT, syscall_pages_on_dirtied),
};

int kt_syscall_pages_watch(void)
{
	int error = kt_tracepoints_attach(probes, ARRAY_SIZE(probes));

	if (!error)
		WRITE_ONCE(kt_syscall_pages_are_watched, true);
	return error;
}

void kt_syscall_pages_unwatch(void)
{
	WRITE_ONCE(kt_syscall_pages_are_watched, false);
	kt_tracepoints_detach(probes, ARRAY_SIZE(probes));
}
