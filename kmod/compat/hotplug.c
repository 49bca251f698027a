// SPDX-License-Identifier: GPL-2.0
#include <linux/smp.h>

#include "compat/hotplug.h"

static const struct kt_hotplug *hotplug;

#ifdef KT_HAVE_CPUHP_STATE

static int hotplug_state;

static int hotplug_online(unsigned int cpu)
{
	hotplug->online();
	return 0;
}

static int hotplug_offline(unsigned int cpu)
{
	hotplug->offline();
	return 0;
}

int kt_hotplug_register(const struct kt_hotplug *callbacks)
{
	int state;

	hotplug = callbacks;
	state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "ktrace:online", hotplug_online,
					  hotplug_offline);
	if (state < 0)
		return state;
	hotplug_state = state;
	return 0;
}

void kt_hotplug_unregister(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
}

#else

static void hotplug_online_here(void *unused)
{
	hotplug->online();
}

/* CPU_DYING is called on the CPU that goes, the others on any CPU. */
static int hotplug_notify(struct notifier_block *block, unsigned long action, void *cpu)
{
	switch (action & ~CPU_TASKS_FROZEN) {
	case CPU_ONLINE:
		smp_call_function_single((long)cpu, hotplug_online_here, NULL, 1);
		break;
	case CPU_DYING:
		hotplug->offline();
		break;
	}
	return NOTIFY_OK;
}

static struct notifier_block hotplug_block = { .notifier_call = hotplug_notify };

int kt_hotplug_register(const struct kt_hotplug *callbacks)
{
	hotplug = callbacks;
	return register_cpu_notifier(&hotplug_block);
}

void kt_hotplug_unregister(void)
{
	unregister_cpu_notifier(&hotplug_block);
}

#endif
