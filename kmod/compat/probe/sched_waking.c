/* 4.3, fbd705a0c618 "sched: Introduce the 'trace_sched_waking' tracepoint" */
#include <linux/mm.h>
#include <linux/sched.h>
#include <trace/events/sched.h>
void probe(void *data, struct task_struct *task);
void ask(void)
{
	check_trace_callback_type_sched_waking(probe);
}
