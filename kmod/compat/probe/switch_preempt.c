/* 4.4, c73464b1c843 "sched/core: Fix trace_sched_switch()"; some 3.10 of RHEL have it, too */
#include <linux/mm.h>
#include <linux/sched.h>
#include <trace/events/sched.h>
void probe(void *data, bool preempt, struct task_struct *prev, struct task_struct *next);
void ask(void)
{
	check_trace_callback_type_sched_switch(probe);
}
