/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_EVENT_H
#define KT_EVENT_H

#include <linux/types.h>

/* Something has happened to a session. */
struct kt_event {
	u64 session;
	u32 what;	/* enum ktrace_event */
	u32 cpu;	/* KTRACE_EVENT_DATA */
	int error;	/* KTRACE_EVENT_STATE: negative errno, or 0 */
	pid_t pid;	/* KTRACE_EVENT_EXEC, _HELD, _MAPS: as the watcher or creator numbers it */
};

/* The listener: the control interface, which sends notices to user space. */
struct kt_event_hook {
	bool (*is_wanted)(void);		/* any context */
	void (*tell)(const struct kt_event *event);	/* process context, sleeps */
};

/* Sets the listener, or removes it if hook is NULL. There is no session, and so no event. */
void kt_event_set_hook(const struct kt_event_hook *hook);

/* Is there a listener that takes events now? Any context. */
bool kt_event_is_wanted(void);
/* Passes an event to the listener, if it takes events now. Process context, sleeps. */
void kt_event_tell(const struct kt_event *event);

#endif
