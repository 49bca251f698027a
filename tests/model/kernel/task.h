/* SPDX-License-Identifier: GPL-2.0 */
/* The part of the kernel and of the module that shadow.c needs, for one CPU, in user space. */
#ifndef MODEL_TASK_H
#define MODEL_TASK_H

#include <limits.h>

#include "shim.h"

#include <uapi/ktrace.h>

/* --- the kernel ------------------------------------------------------------ */

#define likely(c)	(c)
#define unlikely(c)	(c)
#define max(a, b)	((a) > (b) ? (a) : (b))
#define min(a, b)	((a) < (b) ? (a) : (b))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof(*(a)))
#define READ_ONCE(v)	(v)
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
#define hash_ptr(p, order)	((void)(p), 0)

struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_flags;
	void *vm_file;
};

struct mm_struct {
	unsigned long start_brk, brk, start_stack;
};

struct task_struct {
	struct mm_struct *mm;
	void *stack;
	unsigned long sas_ss_sp, sas_ss_size;
	int pid;
};

extern struct task_struct *current;
#define THREAD_SIZE 16384UL

struct inode {
	long len;
};

#define i_size_read(inode)	((inode)->len)

#define VM_READ 1
#define VM_WRITE 2
#define VM_EXEC 4
#define VM_GROWSDOWN 8
#define RLIMIT_STACK 3
#define rlimit(limit)	(64UL)
bool thread_group_leader(const struct task_struct *task);
#define get_task_struct(task)	((void)(task))
#define put_task_struct(task)	((void)(task))
bool mmap_read_trylock(struct mm_struct *mm);
#define mmap_read_unlock(mm)	((void)(mm))
struct vm_area_struct *find_vma(struct mm_struct *mm, unsigned long at);

struct hlist_node { struct hlist_node *next, **pprev; };
struct hlist_head { struct hlist_node *first; };

#define INIT_HLIST_HEAD(h)	((h)->first = NULL)
#define hlist_unhashed(n)	(!(n)->pprev)
#define hlist_entry_safe(n, type, member) ((n) ? container_of(n, type, member) : NULL)
#define hlist_for_each_entry_rcu(p, head, member)				\
	for (p = hlist_entry_safe((head)->first, __typeof__(*p), member); p;	\
	     p = hlist_entry_safe(p->member.next, __typeof__(*p), member))

static inline void hlist_add_head_rcu(struct hlist_node *n, struct hlist_head *h)
{
	n->next = h->first;
	n->pprev = &h->first;
	if (h->first)
		h->first->pprev = &n->next;
	h->first = n;
}

static inline void hlist_del_init_rcu(struct hlist_node *n)
{
	*n->pprev = n->next;
	if (n->next)
		n->next->pprev = n->pprev;
	n->pprev = NULL;
}

struct llist_node { struct llist_node *next; };
struct llist_head { struct llist_node *first; };
struct work_struct { void (*fn)(struct work_struct *work); };

#define LLIST_HEAD(name)	struct llist_head name
#define llist_entry(n, type, member) container_of(n, type, member)
#define llist_add(n, h)		((n)->next = (h)->first, (h)->first = (n), !(n)->next)
#define INIT_WORK(w, f)		((w)->fn = (f))
#define queue_work(queue, w)	((void)(w))
#define flush_work(w)		(w)->fn(w)
#define cond_resched()		((void)0)
#define min_t(type, a, b)	min((type)(a), (type)(b))

static inline struct llist_node *llist_del_all(struct llist_head *h)
{
	struct llist_node *first = h->first;

	h->first = NULL;
	return first;
}

struct rcu_head { char unused; };
#define rcu_dereference_raw(p)	(p)
#define rcu_read_lock()		((void)0)
#define rcu_read_unlock()	((void)0)
#define call_rcu(head, f)	f(head)

typedef struct { char unused; } raw_spinlock_t;
#define raw_spin_lock_init(l)			((void)(l))

#define __percpu
#define this_cpu_inc(v)	((v)++)
#define this_cpu_add(v, n)	((v) += (n))

#define PAGE_MASK	(~4095UL)

/* --- the module ------------------------------------------------------------ */

struct list_head { struct list_head *next, *prev; };

struct kt_tree;

struct kt_session_cpu {
	struct ktrace_counters counters;
};

struct kt_func {
	struct ktrace_func desc;
	const struct inode *file;	/* NULL: local stacks are not detected */
};

struct kt_session {
	struct {
		struct kt_func *funcs;
		u32 max_depth;
		u32 sinks;
		u32 flags;
		bool is_on_kernel_stack;	/* always false here */
		u16 base_depth;
		struct kt_tree *tree;
		struct kt_session_cpu *cpu;
	} hot;
};

unsigned long kt_arch_word(unsigned long addr);
unsigned long kt_arch_thread_top(void);
unsigned long kt_arch_ip(void);

struct kt_pool { int kind; };

void kt_pool_init(struct kt_pool *pool, size_t len, u32 low);
void *kt_pool_take(struct kt_pool *pool);
void *kt_pool_get(struct kt_pool *pool);
void kt_pool_put(struct kt_pool *pool, void *p);
#define kt_pool_share(pool)	((void)(pool))

/* A walk rests at each frame that it closes. */
#define KT_WALK_STEPS 2
#define KT_WALK_STEPS_TO_CLOSE 32
u64 kt_walk_rest(void);
#define kt_walk_begin()	((void)0)
#define kt_walk_end()	((void)0)

#endif
