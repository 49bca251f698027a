/* 6.16, the events of page faults: trace/events/exceptions.h, of all architectures */
#include <trace/events/exceptions.h>
void ask(void *probe);
void ask(void *probe)
{
	check_trace_callback_type_page_fault_user(probe);
}
