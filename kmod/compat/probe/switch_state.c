/* 5.18, fa2c3254d7cf "sched/tracing: Don't re-read p->state when emitting sched_switch event" */
#include <linux/mm.h>
#include <linux/sched.h>
#include <trace/events/sched.h>
void probe(void *data, bool preempt, struct task_struct *prev, struct task_struct *next,
	   unsigned int prev_state);
void ask(void)
{
	check_trace_callback_type_sched_switch(probe);
}
