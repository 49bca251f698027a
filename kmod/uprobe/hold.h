/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_HOLD_H
#define KT_HOLD_H

#include <linux/list.h>
#include <linux/pid.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

struct kt_session;

/* Tasks that wait until the session's watcher has looked at what they mapped. */
struct kt_hold {
	spinlock_t lock;	/* guards all of it; taken by a socket's end too: _bh */
	u64 watcher;		/* its socket, 0: none, so nobody waits */
	struct pid *watcher_tgid;
	bool is_passed;		/* nobody waits just now: probes are being taken out */
	bool is_missed;		/* ... of a session that goes on: what is not waited for is a gap */
	struct list_head held;
	u64 nr_answers;		/* that the watcher has given */
	wait_queue_head_t queue;
};

void kt_hold_init(struct kt_hold *hold);
void kt_hold_exit(struct kt_hold *hold);

/* Current's socket watches. Process context; -EBUSY: another does. */
int kt_hold_watch(struct kt_hold *hold, u64 socket);
/* From is_passed to not nobody waits, which is a gap where it is missed. Process context. */
void kt_hold_pass(struct kt_hold *hold, bool is_passed, bool is_missed);
/* A socket was closed. Atomic context. */
void kt_hold_close_socket(struct kt_hold *hold, u64 socket);
/* The number of a process in the watcher's pid namespace; 0: nobody watches, or none there. */
pid_t kt_hold_pid_of(struct kt_hold *hold, struct pid *tgid);

/* Task context, sleeps: tells the watcher, and waits for kt_hold_release(), not for long. */
void kt_hold_wait(struct kt_session *session);
/* Process context: the held tasks of this process go on; NULL: all. -ESRCH: there is none. */
int kt_hold_release(struct kt_hold *hold, const struct pid *tgid);

#endif
