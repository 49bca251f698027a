/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_ROOM_H
#define KT_COMPAT_ROOM_H

#include <linux/cpumask.h>
#include <linux/kprobes.h>
#include <linux/log2.h>

#include "compat/fprobe.h"

#if KT_HAS_FPROBE
#include <linux/rethook.h>
#endif

/*
 * What the kernel allocates for our probes, at most, in bytes: it is charged against max_mem
 * before, and until the probe is out. (A call that is still open then keeps its own instance.)
 */

/* Of a function that the function tracer's client listens to: two hash tables, a list, a node. */
#define KT_ROOM_OF_PLACE 128

/* Instances, of nr calls that may be open at a time. */
static inline size_t kt_room_of_calls(u32 nr, size_t instance)
{
	size_t len = nr * roundup_pow_of_two(instance);

#ifdef KT_HAVE_OBJPOOL
	/* Each CPU's list has room for all. */
	len += num_possible_cpus() * roundup_pow_of_two(nr + 1) * sizeof(void *);
#endif
	return len;
}

static inline size_t kt_room_of_kretprobe(u32 nr, size_t data)
{
	return kt_room_of_calls(nr, sizeof(struct kretprobe_instance) + data);
}

/* From 6.14 on calls are kept in a page of each task: see kt_room_of_tasks(). */
#if defined(KT_HAVE_FPROBE_FTRACE_REGS)
#define kt_room_of_fprobe(nr_places, nr, data) ((size_t)(nr_places) * KT_ROOM_OF_PLACE)
#elif KT_HAS_FPROBE
#define kt_room_of_fprobe(nr_places, nr, data)						\
	((size_t)(nr_places) * KT_ROOM_OF_PLACE +					\
	 kt_room_of_calls(nr, sizeof(struct rethook_node) + 2 * sizeof(long) + (data)))
#endif

/* What all tasks of now have for calls of fprobes, as soon as there is one. Process context. */
size_t kt_room_of_tasks(void);

#endif
