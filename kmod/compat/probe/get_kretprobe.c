/* 5.11, d741bf41d7c7 "kprobes: Remove kretprobe hash" */
#include <linux/kprobes.h>
struct kretprobe *ask(struct kretprobe_instance *instance)
{
	return get_kretprobe(instance);
}
