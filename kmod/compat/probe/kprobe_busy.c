/* 5.8, 9b38cc704e84 "kretprobe: Prevent triggering kretprobe from within kprobe_flush_task" */
#include <linux/kprobes.h>
void ask(void)
{
	kprobe_busy_begin();
}
