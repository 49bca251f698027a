/* SPDX-License-Identifier: GPL-2.0 */
/* The table of shadow stacks: the stack of a task in a session. */
#ifndef KT_SHADOW_TABLE_H
#define KT_SHADOW_TABLE_H

#include <linux/types.h>

#include "core/shadow.h"

void kt_shadow_init(const struct kt_shadow_user *user);

/*
 * Returns the stack of current, and makes one if it has none. Returns NULL if the pool is empty.
 * Preemption is off.
 */
struct kt_shadow *kt_shadow_find(struct kt_session *session);

/* Returns the stack of current, or NULL if it has called no function. The caller holds RCU. */
struct kt_shadow *kt_shadow_own(struct kt_session *session);

/* Sets the home range of current's stack. */
void kt_shadow_find_home(struct kt_shadow *stack);

/* Has current called a function of the session? The caller holds RCU. */
bool kt_shadow_has(struct kt_session *session);
/*
 * Current executes another program: closes its open calls. Returns true if current has called a
 * function of the session. Preemption is off.
 */
bool kt_shadow_exec(struct kt_session *session);
/* Current ends, preemption off: closes and frees its stacks. */
void kt_shadow_task_exit(void);

/*
 * Closes and frees the stacks of a stopped or paused session, whose hits have ended. The calls end
 * now.
 */
void kt_shadow_drop_session(struct kt_session *session);
/* Returns when all stacks that were dropped, or whose tasks have ended, are closed. */
void kt_shadow_flush(void);

/*
 * Returns an empty stack with one chunk, or NULL if there is no memory. A search does not find the
 * stack before it is linked.
 */
struct kt_shadow *kt_shadow_alloc(void);
/* Frees a stack that was not linked. */
void kt_shadow_free(struct kt_shadow *stack);
void kt_shadow_link(struct kt_shadow *stack);

#endif
