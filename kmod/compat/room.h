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
 * The most bytes that the kernel allocates for probes of the module. They are charged against
 * max_mem from before a probe is registered until it is out. (A call that is still open then keeps
 * its instance.)
 */

/* For one function of a client of the function tracer: two hash tables, a list, a node. */
#define KT_ROOM_OF_PLACE 128

/* For the instances of nr calls that may be open at the same time. */
static inline size_t kt_room_of_calls(u32 nr, size_t instance)
{
	size_t len = nr * roundup_pow_of_two(instance);

#ifdef KT_HAVE_OBJPOOL
	/* The list of each CPU has room for all instances. */
	len += num_possible_cpus() * roundup_pow_of_two(nr + 1) * sizeof(void *);
#endif
	return len;
}

static inline size_t kt_room_of_kretprobe(u32 nr, size_t data)
{
	return kt_room_of_calls(nr, sizeof(struct kretprobe_instance) + data);
}

/* From 6.14 on, open calls are in a page of each task: see kt_room_of_tasks(). */
#if defined(KT_HAVE_FPROBE_FTRACE_REGS)
#define kt_room_of_fprobe(nr_places, nr, data) ((size_t)(nr_places) * KT_ROOM_OF_PLACE)
#elif KT_HAS_FPROBE
#define kt_room_of_fprobe(nr_places, nr, data)						\
	((size_t)(nr_places) * KT_ROOM_OF_PLACE +					\
	 kt_room_of_calls(nr, sizeof(struct rethook_node) + 2 * sizeof(long) + (data)))
#endif

/* For open calls of fprobes in all present tasks, once there is an fprobe. Process context. */
size_t kt_room_of_tasks(void);

#endif
