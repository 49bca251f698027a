/* SPDX-License-Identifier: GPL-2.0 */
/* Calls of a few kernel functions, with their arguments: hook.c, for providers that know them. */
#ifndef KT_HOOK_H
#define KT_HOOK_H

#include <linux/types.h>

#define KT_HOOKS 16	/* at most */
#define KT_HOOK_ARGS 5
#define KT_HOOK_DATA 48	/* bytes that a call keeps from enter to leave */

struct kt_hook {
	const char *name;
	/* A function that this one may be but a way to: then only that one is hooked. Or NULL. */
	const char *way_to;
	u32 kind;	/* of each bit one function at least must be there */
	/* Any context, in which leave follows if it returns true. data: not without a leave. */
	bool (*enter)(const struct kt_hook *hook, const unsigned long *args, void *data);
	void (*leave)(void *data, unsigned long result);	/* or NULL */
	unsigned long ip;	/* its first byte that is traced; 0: it is not hooked */
};

struct kt_hook_probes;

struct kt_hooks {
	struct kt_hook *hooks;
	u32 nr;
	struct kt_hook_probes *probes;	/* while they are attached */
	u64 missed;			/* until they were detached last */
};

/*
 * Process context, sleep, one at a time. All that this kernel has; -ENOENT: of some kind it
 * has none.
 */
int kt_hooks_attach(struct kt_hooks *hooks);
void kt_hooks_detach(struct kt_hooks *hooks);	/* returns when none of them runs */
/* Calls that the kernel had no means left to see, ever. Not while they come or go. */
u64 kt_hooks_missed(const struct kt_hooks *hooks);

/* What a session has missed, under the lock of its provider's peers. */
struct kt_hooks_account {
	u64 missed;		/* while it was attached, before it was last */
	u64 from;		/* of all, when it was attached last */
};

/* Around what the session is attached: the first after the hooks are, the other before they go. */
static inline void kt_hooks_account_begin(struct kt_hooks_account *account,
					  const struct kt_hooks *hooks)
{
	account->from = kt_hooks_missed(hooks);
}

static inline void kt_hooks_account_end(struct kt_hooks_account *account,
					const struct kt_hooks *hooks)
{
	account->missed += kt_hooks_missed(hooks) - account->from;
}

static inline u64 kt_hooks_account_get(const struct kt_hooks_account *account,
				       const struct kt_hooks *hooks, bool is_attached)
{
	return account->missed + (is_attached ? kt_hooks_missed(hooks) - account->from : 0);
}

#endif
