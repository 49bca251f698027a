/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_HOLD_H
#define KT_HOLD_H

#include <linux/types.h>

struct kt_hold;
struct kt_session;
struct pid;

/* The tasks of a session that wait until its watcher has looked at the files that they mapped. */
struct kt_hold *kt_hold_create(void);	/* process context; NULL: no memory */
void kt_hold_free(struct kt_hold *hold);	/* hold may be NULL */

/*
 * Makes socket, which belongs to current, the watcher. Process context. Returns 0, or -EBUSY if
 * another socket watches.
 */
int kt_hold_watch(struct kt_hold *hold, u64 socket);
/*
 * While is_passed is true, no task waits. With is_missed, each task that would have waited counts
 * in gaps. Process context.
 */
void kt_hold_pass(struct kt_hold *hold, bool is_passed, bool is_missed);
/* A socket was closed. Atomic context. */
void kt_hold_close_socket(struct kt_hold *hold, u64 socket);
/* Returns the pid in the watcher's namespace; 0 if there is no watcher, or no such pid there. */
pid_t kt_hold_pid_of(struct kt_hold *hold, struct pid *tgid);

/* Notifies the watcher, and waits for kt_hold_release(), or for a limited time. Task context. */
void kt_hold_wait(struct kt_session *session);
/*
 * Releases the held tasks of process tgid; NULL: all held tasks. Process context. Returns 0, or
 * -ESRCH if no task waits.
 */
int kt_hold_release(struct kt_hold *hold, const struct pid *tgid);

#endif
