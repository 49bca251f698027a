/* 6.17: sched_process_exit has an argument group_dead */
#include <linux/mm.h>
#include <linux/sched.h>
#include <trace/events/sched.h>
void probe(void *data, struct task_struct *task, bool group_dead);
void ask(void)
{
	check_trace_callback_type_sched_process_exit(probe);
}
