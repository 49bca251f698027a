/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of the kernel that ring*.c, key_table.c and compat/tracepoint.c need, in user space. A
 * CPU is a thread, an interrupt a signal handler. Each primitive first calls kt_shim_step(), where
 * a test may let others run: nested writers, another CPU. kt_shim_idle_step() is called instead if
 * nothing was accessed since the last step, or only data of the caller.
 */
#ifndef KT_SHIM_H
#define KT_SHIM_H

#include <linux/types.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t u64;
typedef int64_t s64;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint16_t u16;
typedef uint8_t u8;

#ifndef KT_SHIM_NR_CPUS
#define KT_SHIM_NR_CPUS 4
#endif

extern __thread int kt_shim_cpu;
void kt_shim_step(void);
void kt_shim_relax(void);
#ifndef kt_shim_idle_step
#define kt_shim_idle_step()	kt_shim_step()
#endif
u64 ktime_get_mono_fast_ns(void);
extern long kt_shim_pages;	/* allocations alive */
extern long kt_shim_fail_after;	/* allocations until one fails; below 0: never */

typedef struct { s64 v; } atomic64_t;
typedef struct { s64 v; } local64_t;

static inline s64 shim_read(const s64 *v)
{
	kt_shim_step();
	return __atomic_load_n(v, __ATOMIC_RELAXED);
}

static inline void shim_set(s64 *v, s64 new)
{
	kt_shim_step();
	__atomic_store_n(v, new, __ATOMIC_RELAXED);
	kt_shim_idle_step();
}

static inline void shim_add(s64 *v, s64 n, int order)
{
	kt_shim_step();
	__atomic_fetch_add(v, n, order);
	kt_shim_idle_step();
}

static inline s64 shim_cmpxchg(s64 *v, s64 old, s64 new)
{
	kt_shim_step();
	__atomic_compare_exchange_n(v, &old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	kt_shim_idle_step();
	return old;
}

#define atomic64_read(a)		shim_read(&(a)->v)
#define atomic64_set(a, n)		shim_set(&(a)->v, n)
#define atomic64_add(n, a)		shim_add(&(a)->v, n, __ATOMIC_RELAXED)
#define atomic64_cmpxchg(a, o, n)	shim_cmpxchg(&(a)->v, o, n)
#define local64_read(a)			shim_read(&(a)->v)
#define local64_set(a, n)		shim_set(&(a)->v, n)
#define local64_inc(a)			shim_add(&(a)->v, 1, __ATOMIC_RELAXED)
#define local64_cmpxchg(a, o, n)	shim_cmpxchg(&(a)->v, o, n)

#define smp_wmb()	do { kt_shim_idle_step(); __atomic_thread_fence(__ATOMIC_RELEASE); } while (0)
#define smp_rmb()	do { kt_shim_idle_step(); __atomic_thread_fence(__ATOMIC_ACQUIRE); } while (0)
#define cpu_relax()	kt_shim_relax()
#define preempt_disable()	do { } while (0)
#define preempt_enable()	do { } while (0)

#define smp_processor_id()	kt_shim_cpu
#define nr_cpu_ids		KT_SHIM_NR_CPUS
#define num_possible_cpus()	KT_SHIM_NR_CPUS
#define for_each_possible_cpu(cpu) for ((cpu) = 0; (cpu) < KT_SHIM_NR_CPUS; (cpu)++)
#define cpu_to_node(cpu)	((void)(cpu), 0)

/* The part of it that key_table.c and compat/remove.c use. */
typedef struct { int counter; } atomic_t;
#define ATOMIC_INIT(n)		{ n }
#define atomic_read(a)		__atomic_load_n(&(a)->counter, __ATOMIC_RELAXED)
#define atomic_add(n, a)	__atomic_fetch_add(&(a)->counter, n, __ATOMIC_SEQ_CST)
#define atomic_inc(a)		atomic_add(1, a)
#define atomic_dec(a)		atomic_add(-1, a)
#define cmpxchg(p, old, new)	__sync_val_compare_and_swap(p, old, new)
#define xchg(p, new)		__atomic_exchange_n(p, new, __ATOMIC_SEQ_CST)
#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define likely(c)		__builtin_expect(!!(c), 1)
#define unlikely(c)		__builtin_expect(!!(c), 0)
#define noinline		__attribute__((noinline))
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
#define hash_long(n, bits)	((n) * 0x61C8864680B583EBUL >> (64 - (bits)))

#define ____cacheline_aligned	__attribute__((aligned(64)))
#define BUILD_BUG_ON(c)		_Static_assert(!(c), #c)
#define max(a, b)		((a) > (b) ? (a) : (b))
#define cpu_to_le64(v)		((__le64)(v))
#define is_power_of_2(n)	((n) && !((n) & ((n) - 1)))

#define PAGE_SIZE	4096UL
typedef unsigned int gfp_t;
#define GFP_KERNEL	0
#define __GFP_NOWARN	0
#define __GFP_ZERO	0
struct page;

static inline int get_order(unsigned long len)
{
	int order = 0;

	while (PAGE_SIZE << order < len)
		order++;
	return order;
}

static inline void *shim_alloc(size_t len)
{
	void *p = NULL;

	if (kt_shim_fail_after < 0 || kt_shim_fail_after-- > 0)
		if (!posix_memalign(&p, 64, len))
			memset(p, 0, len);
	if (p)
		kt_shim_pages++;
	return p;
}

static inline void shim_free(const void *p)
{
	if (p)
		kt_shim_pages--;
	free((void *)p);
}

#define kzalloc(len, gfp)			shim_alloc(len)
#define kzalloc_node(len, gfp, node)		((void)(node), shim_alloc(len))
#define kfree(p)				shim_free(p)
#define alloc_pages_node(node, gfp, order)	\
	((void)(node), (struct page *)shim_alloc(PAGE_SIZE << (order)))
#define page_address(page)			((void *)(page))
#define __get_free_pages(gfp, order)		((unsigned long)shim_alloc(PAGE_SIZE << (order)))
#define free_pages(addr, order)			shim_free((void *)(addr))

#endif
