/* 5.18, 4f554e955614 "ftrace: Add ftrace_set_filter_ips function" */
#include <linux/ftrace.h>
int ask(struct ftrace_ops *ops, unsigned long *ips)
{
	return ftrace_set_filter_ips(ops, ips, 1, 0, 1);
}
