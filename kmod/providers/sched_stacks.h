/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SCHED_STACKS_H
#define KT_SCHED_STACKS_H

#include <linux/types.h>

#include <uapi/ktrace.h>

struct kt_peers;
struct kt_session;
struct kt_tree;
struct task_struct;

/*
 * For sessions with KTRACE_SINK_STACKS. Take: current leaves a CPU; keeps its
 * stack. Count: a period of who, which had a stack, was counted in node; counts it, duration ns,
 * in the node of the stack. Interrupts off.
 */
void kt_sched_stack_take(const struct kt_peers *peers);
void kt_sched_stack_count(struct kt_session *session, struct kt_tree *tree,
			  const struct task_struct *who, u32 node, u64 duration);

/* Returns true for periods off the CPU that have the stack on which the task left the CPU. */
static inline bool kt_sched_has_stack(u32 what)
{
	return what >= KTRACE_SCHED_PREEMPTED && what <= KTRACE_SCHED_STOPPED;
}

#endif
