/* 6.16: trace/events/exceptions.h has the page fault events of all architectures */
#include <trace/events/exceptions.h>
void ask(void *probe)
{
	check_trace_callback_type_page_fault_user(probe);
}
