/* up to 5.1; e9b98e162aa5 "stacktrace: Provide helpers for common stack trace operations" */
#include <linux/stacktrace.h>
void (*ask)(struct stack_trace *trace) = save_stack_trace;
