/* SPDX-License-Identifier: GPL-2.0 */
/* CPUs that come and go. */
#ifndef KT_COMPAT_HOTPLUG_H
#define KT_COMPAT_HOTPLUG_H

#include <linux/cpu.h>

/*
 * Both are called on the CPU, on which no task can move them: online() when it has come, offline()
 * before it goes. If it does not go after all, online() is called again. They do not sleep.
 */
struct kt_hotplug {
	void (*online)(void);
	void (*offline)(void);
};

/* One user at a time. Process context. Returns 0 or a negative errno. */
int kt_hotplug_register(const struct kt_hotplug *callbacks);
void kt_hotplug_unregister(void);

/* No CPU comes or goes in between. Process context, sleeps. */
static inline void kt_hotplug_lock(void)
{
#ifdef KT_HAVE_CPUS_READ_LOCK
	cpus_read_lock();
#else
	get_online_cpus();
#endif
}

static inline void kt_hotplug_unlock(void)
{
#ifdef KT_HAVE_CPUS_READ_LOCK
	cpus_read_unlock();
#else
	put_online_cpus();
#endif
}

#endif
