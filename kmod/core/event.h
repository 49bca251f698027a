/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_EVENT_H
#define KT_EVENT_H

#include <linux/types.h>

/* Something has happened to a session; the number of each kind is in enum ktrace_event. */
struct kt_event {
	u64 session;
	u32 what;
	u32 cpu;	/* KTRACE_EVENT_DATA */
	int error;	/* KTRACE_EVENT_STATE: negative errno, or 0 */
	pid_t pid;	/* KTRACE_EVENT_EXEC, _HELD: as the watcher numbers it */
};

/* The listener: the control interface, which tells user space. */
struct kt_event_hook {
	bool (*is_wanted)(void);		/* any context */
	void (*tell)(const struct kt_event *event);	/* process context, sleeps */
};

/* Call it while there is no session, so no event. NULL: no listener. */
void kt_event_set_hook(const struct kt_event_hook *hook);

/* Is an event worth its telling? Any context. */
bool kt_event_is_wanted(void);
/* Process context, sleeps. */
void kt_event_tell(const struct kt_event *event);

#endif
