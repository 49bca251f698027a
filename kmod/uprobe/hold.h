/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_HOLD_H
#define KT_HOLD_H

#include <linux/types.h>

struct kt_hold;
struct kt_session;
struct pid;

/* Tasks that wait until the session's watcher has looked at what they mapped. */
struct kt_hold *kt_hold_create(void);	/* process context; NULL: no memory */
void kt_hold_free(struct kt_hold *hold);	/* or NULL */

/* Current's socket watches. Process context; -EBUSY: another does. */
int kt_hold_watch(struct kt_hold *hold, u64 socket);
/* While is_passed, no task waits; where one should have, that is a gap. Process context. */
void kt_hold_pass(struct kt_hold *hold, bool is_passed, bool is_missed);
/* A socket was closed. Atomic context. */
void kt_hold_close_socket(struct kt_hold *hold, u64 socket);
/* The number of a process in the watcher's pid namespace; 0: no watcher, or none there. */
pid_t kt_hold_pid_of(struct kt_hold *hold, struct pid *tgid);

/* Task context, sleeps: tells the watcher, and waits for kt_hold_release(), not for long. */
void kt_hold_wait(struct kt_session *session);
/* Process context: the held tasks of this process go on; NULL: all. -ESRCH: there is none. */
int kt_hold_release(struct kt_hold *hold, const struct pid *tgid);

#endif
