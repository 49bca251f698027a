/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where kernels differ. The core speaks the newest; what a header of an older
 * one lacks is supplied here, by the answers to the questions in compat/probe.
 */
#ifndef KT_COMPAT_H
#define KT_COMPAT_H

#include <linux/cgroup.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/security.h>
#include <linux/stacktrace.h>
#include <linux/thread_info.h>
#include <linux/tracepoint.h>
#include <linux/uprobes.h>
#include <net/genetlink.h>

#include <asm/hypervisor.h>
#include <asm/syscall.h>

/* Of what a function fills as a whole before it is read: kernels that zero all else need not. */
#ifdef __has_attribute
#if __has_attribute(uninitialized)
#define KT_FILLED_LATER __attribute__((uninitialized))
#endif
#endif
#ifndef KT_FILLED_LATER
#define KT_FILLED_LATER
#endif

/* --- kernels that are not for us ------------------------------------------ */

/*
 * Hits run with preemption off, and read what call_rcu() frees. In a preemptible kernel whose RCU
 * has flavours that waits for rcu_read_lock() only.
 */
#if defined(CONFIG_PREEMPT) && defined(KT_HAVE_RCU_FLAVOURS)
#error "ktrace: this kernel is preemptible and older than 4.20; build one without CONFIG_PREEMPT"
#endif

/*
 * With PREEMPT_RT what hits and the tracepoints of tasks do under preempt_disable(),
 * spin_lock() and kmalloc(GFP_ATOMIC) among it, may sleep.
 */
static inline int kt_check_kernel(void)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT) && !IS_ENABLED(CONFIG_PREEMPT_RT_FULL))
		return 0;
	pr_err("ktrace: this kernel is one with PREEMPT_RT, whose locks sleep where probes must not; boot one without.\n");
	return -EOPNOTSUPP;
}

/* --- files -------------------------------------------------------------- */

/* The inode that has the pages: under an overlay that of the layer. */
static inline struct inode *kt_file_inode(struct file *file)
{
	return d_real_inode(file->f_path.dentry);
}

/*
 * The inode that a mapping has its pages from, NULL: none. Not by its dentry: when an overlay
 * copies a file up, that leads to the new copy, while what was mapped stays what it was.
 */
static inline struct inode *kt_vma_inode(const struct vm_area_struct *vma)
{
	return vma->vm_file ? file_inode(vma->vm_file) : NULL;
}

/* Another mm has another, even at the same address. */
static inline u64 kt_mm_id(const struct mm_struct *mm)
{
#ifdef KT_HAVE_TLB_GEN
	return mm->context.ctx_id;
#else
	return (unsigned long)mm ^ mm->start_stack;
#endif
}

/*
 * Changes when a mapping comes, and when a page that was used goes. Before 4.14 a mapping that
 * takes the place of one of the same length cannot be told from it.
 */
static inline u64 kt_mm_stamp(const struct mm_struct *mm)
{
#ifdef KT_HAVE_TLB_GEN
	return (u64)atomic64_read(&mm->context.tlb_gen) << 24 ^ READ_ONCE(mm->map_count);
#else
	return (u64)mm->total_vm << 24 ^ READ_ONCE(mm->map_count);
#endif
}

/* --- programs ------------------------------------------------------------- */

/* How many programs current's process has been, roughly: another one has another. */
static inline u32 kt_exec_id(void)
{
#ifdef KT_HAVE_RH_EXEC_ID
	return current->task_struct_rh->self_exec_id;
#else
	return current->self_exec_id;
#endif
}

/*
 * No frame of the program's stack is below it, whose registers these are. Kernels with usersp
 * do not save sp at each system call: the frame pointer has to be enough then.
 */
static inline unsigned long kt_user_stack_floor(const struct pt_regs *regs)
{
#ifdef KT_HAVE_THREAD_USERSP
	return regs->bp;
#else
	return regs->sp;
#endif
}

/* --- RCU ------------------------------------------------------------------ */

/* Returns when no hit runs that began before. Process context. */
static inline void kt_wait_for_hits(void)
{
#ifdef KT_HAVE_RCU_FLAVOURS
	synchronize_sched_expedited();
#else
	synchronize_rcu_expedited();
#endif
}

/* Idle CPUs are not seen by grace periods. Any context. */
static inline bool kt_rcu_is_watching(void)
{
#ifdef KT_HAVE_RCU_IS_WATCHING
	return rcu_is_watching();
#else
	return !rcu_is_cpu_idle();
#endif
}

/* --- mappings of a process, under its mmap lock --------------------------- */

#ifdef KT_HAVE_VMA_ITERATOR
#define KT_VMA_ITER(it, mm) VMA_ITERATOR(it, mm, 0)
#define kt_for_each_vma(it, vma) for_each_vma(it, vma)
#else
#define KT_VMA_ITER(it, mm) struct mm_struct *it = (mm)
#define kt_for_each_vma(it, vma) for (vma = it->mmap; vma; vma = vma->vm_next)
#endif

/* The process that memory belongs to, NULL while it belongs to none. Under RCU. */
static inline struct task_struct *kt_mm_owner(struct mm_struct *mm)
{
#ifdef KT_HAVE_MM_OWNER
	return rcu_dereference(mm->owner);
#else
	struct task_struct *process, *task;

	for_each_process_thread(process, task)
		if (READ_ONCE(task->mm) == mm)
			return process;
	return NULL;
#endif
}

/* --- kernel functions: kfunc_*.c of this folder ----------------------------- */

struct kt_kfuncs;

void kt_kprobes_init(struct kt_kfuncs *kfuncs);
/*
 * Probes of entry and return of each function that has no error; what cannot be probed
 * gets one. Again and again; process context, sleep. 0, or an error: then there are none.
 */
int kt_kprobes_attach(struct kt_kfuncs *kfuncs);
void kt_kprobes_detach(struct kt_kfuncs *kfuncs);	/* returns when none of them runs */
/* Likewise of entries alone, which costs less. */
int kt_kprobes_attach_count(struct kt_kfuncs *kfuncs);
void kt_kprobes_detach_count(struct kt_kfuncs *kfuncs);
/* Calls of any task that the kernel had no means left to probe, as far as it is told. */
u64 kt_kprobes_missed(const struct kt_kfuncs *kfuncs);

#if defined(KT_HAVE_FPROBE_FTRACE_REGS) || defined(KT_HAVE_FPROBE_PT_REGS)
#define KT_HAS_FPROBE 1
#else
#define KT_HAS_FPROBE 0
#endif

/* --- hypervisors ----------------------------------------------------------- */

/* None that this kernel knows. */
static inline bool kt_has_no_hypervisor(void)
{
#ifdef KT_HAVE_HYPERVISOR_TYPE
	return hypervisor_is_type(X86_HYPER_NATIVE);
#elif defined(CONFIG_HYPERVISOR_GUEST)
	return !x86_hyper;
#else
	return true;
#endif
}

/* --- system calls ---------------------------------------------------------- */

/* Is the system call that current is in one of 32 bits? */
static inline bool kt_is_compat_syscall(void)
{
#ifdef KT_HAVE_IN_IA32_SYSCALL
	return in_ia32_syscall();
#else
	return is_ia32_task();
#endif
}

/* Its arguments. */
static inline void kt_syscall_args(struct pt_regs *regs, unsigned long args[6])
{
#ifdef KT_HAVE_SYSCALL_ARGS_RANGE
	syscall_get_arguments(current, regs, 0, 6, args);
#else
	syscall_get_arguments(current, regs, args);
#endif
}

/* The first of them. */
static inline unsigned long kt_syscall_arg(struct pt_regs *regs)
{
	unsigned long args[6];

	kt_syscall_args(regs, args);
	return args[0];
}

/*
 * Around what a probe of sys_enter or sys_exit does, without preemption: from 6.13 on, where these
 * may sleep, preemption is still on when they are called.
 */
#ifdef DECLARE_TRACE_SYSCALL
#define kt_syscall_event_begin() rcu_read_lock_sched()
#define kt_syscall_event_end() rcu_read_unlock_sched()
#else
#define kt_syscall_event_begin() do {} while (0)
#define kt_syscall_event_end() do {} while (0)
#endif

/* A probe of sched_switch, of which the tasks before and after are of interest. */
#if defined(KT_HAVE_SWITCH_STATE)
#define KT_ON_SWITCH(name, prev, next)					\
	void name(void *data, bool preempt, struct task_struct *prev,	\
		  struct task_struct *next, unsigned int prev_state)
#elif defined(KT_HAVE_SWITCH_PREEMPT)
#define KT_ON_SWITCH(name, prev, next)					\
	void name(void *data, bool preempt, struct task_struct *prev,	\
		  struct task_struct *next)
#else
#define KT_ON_SWITCH(name, prev, next)					\
	void name(void *data, struct task_struct *prev, struct task_struct *next)
#endif

/* --- the scheduler -------------------------------------------------------- */

/* Of a task: 0, it is runnable; or why it is not. */
static inline unsigned int kt_task_state(const struct task_struct *task)
{
#ifdef KT_HAVE_TASK_STATE
	return READ_ONCE(task->__state);
#else
	return READ_ONCE(task->state);
#endif
}

/*
 * In a KT_ON_SWITCH(): 0, prev stays runnable; or why it does not, as it said itself: who wakes
 * it may be changing that already. One that a signal keeps from sleeping was made runnable.
 */
#if defined(KT_HAVE_SWITCH_STATE)
#define KT_SWITCH_STATE(prev) (!preempt && kt_task_state(prev) ? prev_state : 0)
#elif defined(KT_HAVE_SWITCH_PREEMPT)
#define KT_SWITCH_STATE(prev) (preempt ? 0 : kt_task_state(prev))
#else
#define KT_SWITCH_STATE(prev) kt_task_state(prev)
#endif

/*
 * A task that sleeps is woken; the first of these in time that the kernel has. sched_wakeup_new has
 * the same arguments.
 */
#ifdef KT_HAVE_SCHED_WAKING
#define KT_WAKING_EVENT sched_waking
#define KT_ON_WAKING(name, who) void name(void *data, struct task_struct *who)
#else
#define KT_WAKING_EVENT sched_wakeup
#define KT_ON_WAKING(name, who) void name(void *data, struct task_struct *who, int success)
#endif

/* Not to be taken for a load: a kernel's thread that waits for work. */
#ifdef TASK_NOLOAD
#define KT_TASK_NOLOAD TASK_NOLOAD
#else
#define KT_TASK_NOLOAD 0
#endif

/* --- tasks: task_events.c of this folder ----------------------------------- */

/* Called in the task itself (fork: in the parent, before the child runs), preemption maybe off. */
struct kt_task_events {
	void (*fork)(struct task_struct *child);
	void (*exec)(void);
	void (*exit)(void);
};

/* Process context. */
int kt_task_events_register(const struct kt_task_events *callbacks);
void kt_task_events_unregister(void);	/* returns when none of them runs */

/* --- stacks ----------------------------------------------------------------- */

/* Of current, in the kernel: return addresses, the innermost first. How many. Any context. */
static inline u32 kt_save_stack(unsigned long *to, u32 max)
{
#ifdef KT_HAVE_STACK_TRACE_SAVE
	return stack_trace_save(to, max, 0);
#else
	struct stack_trace trace = { .entries = to, .max_entries = max };

	save_stack_trace(&trace);
	/* Where all of it is there, an end is written behind it. */
	if (trace.nr_entries && to[trace.nr_entries - 1] == ULONG_MAX)
		trace.nr_entries--;
	return trace.nr_entries;
#endif
}

/*
 * The same for a function that begins, whose return address is at sp. Frames of the probe are left
 * out where the kernel finds frames by rbp (before 4.9): there they hide the function's caller,
 * since the function has no frame yet.
 */
#if !defined(KT_HAVE_STACK_TRACE_SAVE) && defined(CONFIG_FRAME_POINTER)
u32 kt_save_stack_above(unsigned long sp, unsigned long *to, u32 max);
#else
static inline u32 kt_save_stack_above(unsigned long sp, unsigned long *to, u32 max)
{
	return kt_save_stack(to, max);
}
#endif

/* --- cgroups --------------------------------------------------------------- */

/* Is a task in the cgroup of that id (version 2: its folder's inode), or below? Under RCU. */
#if defined(KT_HAVE_CGROUP_ID)
#define KT_KNOWS_CGROUPS 1
static inline u64 kt_cgroup_id(struct cgroup *cgroup)
{
	return cgroup_id(cgroup);
}
#elif defined(KT_HAVE_DFL_CGROUP)
#define KT_KNOWS_CGROUPS 1
static inline u64 kt_cgroup_id(struct cgroup *cgroup)
{
	return cgroup->kn->id.ino;
}
#else
#define KT_KNOWS_CGROUPS 0
#endif

#if defined(KT_HAVE_CGROUP_ID) || defined(KT_HAVE_DFL_CGROUP)
static inline bool kt_task_is_in_cgroup(struct task_struct *task, u64 id)
{
	struct cgroup *cgroup;

	for (cgroup = task_dfl_cgroup(task); cgroup; cgroup = cgroup_parent(cgroup))
		if (kt_cgroup_id(cgroup) == id)
			return true;
	return false;
}
#else
static inline bool kt_task_is_in_cgroup(struct task_struct *task, u64 id)
{
	return false;
}
#endif

/* --- uprobes -------------------------------------------------------------- */

struct kt_uprobe {
	struct uprobe_consumer uc;
	struct uprobe *handle;
	struct inode *inode;
	loff_t offset;
};

/* Process context, sleep. The caller keeps the inode. */
int kt_uprobe_register(struct kt_uprobe *uprobe, struct inode *inode, loff_t offset);
void kt_uprobe_unregister_nosync(struct kt_uprobe *uprobe);
void kt_uprobe_unregister_sync(void);	/* no handler runs any more */

#ifdef KT_HAVE_UPROBE_DATA
#define KT_UPROBE_HANDLER(name, uc, regs) \
	int name(struct uprobe_consumer *uc, struct pt_regs *regs, __u64 *data)
#define KT_URETPROBE_HANDLER(name, uc, func, regs)			\
	int name(struct uprobe_consumer *uc, unsigned long func,	\
		 struct pt_regs *regs, __u64 *data)
#else
#define KT_UPROBE_HANDLER(name, uc, regs) \
	int name(struct uprobe_consumer *uc, struct pt_regs *regs)
#define KT_URETPROBE_HANDLER(name, uc, func, regs)			\
	int name(struct uprobe_consumer *uc, unsigned long func,	\
		 struct pt_regs *regs)
#endif

#ifdef KT_HAVE_UPROBE_FILTER_CTX
#define KT_UPROBE_FILTER(name, uc, mm)					\
	bool name(struct uprobe_consumer *uc, enum uprobe_filter_ctx ctx, \
		  struct mm_struct *mm)
#else
#define KT_UPROBE_FILTER(name, uc, mm) \
	bool name(struct uprobe_consumer *uc, struct mm_struct *mm)
#endif

/*
 * In a consumer's filter: does current hold the lock of mm? Who registers, or maps a file, holds
 * it for write. Since 6.12 the filter is also asked without it, of current's own memory, before
 * a breakpoint is removed that all handlers refused; only a writer's name tells the two apart.
 */
static inline bool kt_filter_holds_mmap_lock(struct mm_struct *mm)
{
#ifdef KT_HAVE_UPROBE_FILTER_CTX
	return true;
#else
	return mm != current->mm || atomic_long_read(&mm->mmap_lock.owner) == (long)current;
#endif
}

/* --- generic netlink ------------------------------------------------------ */

#ifdef KT_HAVE_RESV_START_OP
#define KT_RESV_START_OP(op) .resv_start_op = (op),
#else
#define KT_RESV_START_OP(op)
#endif

#ifdef KT_HAVE_FAMILY_POLICY
#define KT_FAMILY_POLICY(p) .policy = (p),
#define KT_OP_POLICY(p)
#else
#define KT_FAMILY_POLICY(p)
#define KT_OP_POLICY(p) .policy = (p),
#endif

/* A number for a network namespace. */
static inline u32 kt_net_id(const struct net *net)
{
#ifdef KT_HAVE_NS_COMMON
	return net->ns.inum;
#else
	return net->proc_inum;
#endif
}

/* --- lockdown --------------------------------------------------------------- */

/* Is it locked down as far as no one may trace? Says so in the log, as to all others. */
static inline bool kt_kernel_hides(void)
{
#ifdef KT_HAVE_LOCKED_DOWN
	return security_locked_down(LOCKDOWN_TRACEFS);
#elif defined(CONFIG_SECURITY_LOCKDOWN_LSM)
#error "ktrace: security_locked_down() of this kernel is not the one that ktrace knows"
#else
	return false;
#endif
}

/* --- what a uprobe's handler may do ---------------------------------------- */

#ifdef KT_HAVE_UPROBE_SET_IP
#define KT_UPROBE_MAY_SET_IP true
#else
#define KT_UPROBE_MAY_SET_IP false
#endif

/* Does the processor check current's returns against a second stack? */
#ifdef KT_HAVE_USER_SHSTK
#include <asm/prctl.h>
static inline bool kt_has_shadow_stack(void)
{
	return current->thread.features & ARCH_SHSTK_SHSTK;
}
#elif defined(CONFIG_X86_USER_SHADOW_STACK)
#error "ktrace: shadow stacks of this kernel are not those that ktrace knows"
#else
static inline bool kt_has_shadow_stack(void)
{
	return false;
}
#endif

#endif
