/* SPDX-License-Identifier: GPL-2.0 */
/* The trigger of a session: the event after which its ring stays as it is. */
#ifndef KT_TRIGGER_H
#define KT_TRIGGER_H

#include <linux/types.h>

#include <uapi/ktrace.h>

struct kt_session;
struct kt_trigger;

/* An event that is in the ring, as a trigger sees it. */
struct kt_trigger_event {
	u64 duration;		/* ns */
	u32 number;		/* what func of struct ktrace_trigger is compared with */
	u32 func;		/* as in the record */
	u32 tid;
	u32 error;		/* errno, or 0 */
};

/* Process context. Returns NULL if there is no memory. */
struct kt_trigger *kt_trigger_create(const struct ktrace_trigger *wanted);
void kt_trigger_free(struct kt_trigger *trigger);	/* trigger may be NULL */

/* The functions below need a session with a trigger; any context but NMI, preemption off. */

/*
 * Returns true if the event meets the condition, and is the first since the trigger was armed. Then
 * the caller writes what else belongs to the event, and calls kt_trigger_fire().
 */
bool kt_trigger_claim(struct kt_session *session, const struct kt_trigger_event *event);
/* Freezes the ring, now or later as configured, and reports the event. */
void kt_trigger_fire(struct kt_session *session, const struct kt_trigger_event *event);
/* An event to which nothing else belongs. */
void kt_trigger_event(struct kt_session *session, const struct kt_trigger_event *event);
/* Is the ring frozen? Then a record is not written; it is counted here. NMI, too. */
bool kt_trigger_withholds(struct kt_session *session);
/* Returns func of the condition: KTRACE_TRIGGER_ANY, or a number. */
u32 kt_trigger_number(const struct kt_session *session);

/* Process context. */

/* Has the trigger fired since the last call, and was it not armed since? */
bool kt_trigger_take_news(struct kt_session *session);
/* Lets records flow again. Returns 0, also if the trigger is armed; -EBUSY: it is firing now. */
int kt_trigger_arm(struct kt_session *session);
/* Fills in the event; time 0: the trigger is armed. */
void kt_trigger_get(struct kt_session *session, struct ktrace_triggered *seen);

#endif
