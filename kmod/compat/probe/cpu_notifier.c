/* up to 4.9; 530e9b76ae8f "cpu/hotplug: Remove obsolete cpu hotplug register/unregister functions" */
#include <linux/cpu.h>
int (*ask)(struct notifier_block *block) = register_cpu_notifier;
