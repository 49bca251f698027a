/* 5.2, e9b98e162aa5 "stacktrace: Provide helpers for common stack trace operations" */
#include <linux/stacktrace.h>
unsigned int ask(unsigned long *to)
{
	return stack_trace_save(to, 1, 0);
}
