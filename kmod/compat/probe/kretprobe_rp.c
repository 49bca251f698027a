/* up to 5.10; d741bf41d7c7 "kprobes: Remove kretprobe hash" */
#include <linux/kprobes.h>
typeof(((struct kretprobe_instance *)NULL)->rp) ask;
