/* 4.13, 8f553c498e17 "cpu/hotplug: Provide cpus_read|write_[un]lock()" */
#include <linux/cpu.h>
void (*ask)(void) = cpus_read_lock;
