/* 4.7, abfb9498ee13 "x86/entry: Rename is_{ia32,x32}_task() to in_{ia32,x32}_syscall()" */
#include <linux/thread_info.h>
#include <linux/sched.h>
bool ask(void)
{
	return in_ia32_syscall();
}
