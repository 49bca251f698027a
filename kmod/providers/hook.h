/* SPDX-License-Identifier: GPL-2.0 */
/* Hooks on a few kernel functions, with their arguments, for providers (hook.c). */
#ifndef KT_HOOK_H
#define KT_HOOK_H

#include <linux/types.h>

#define KT_HOOKS 16	/* at most */
#define KT_HOOK_ARGS 5
#define KT_HOOK_DATA 48	/* bytes that a call keeps from enter to leave */

struct kt_hook {
	const char *name;
	/* Another function, or NULL: if this one calls it, only the other one is hooked. */
	const char *way_to;
	u32 kind;	/* for each bit that is used, one function at least must be found */
	/*
	 * Runs in any context. If it returns true, leave runs at the return of the call. data is
	 * NULL if there is no leave.
	 */
	bool (*enter)(const struct kt_hook *hook, const unsigned long *args, void *data);
	void (*leave)(void *data, unsigned long result);	/* or NULL */
	unsigned long ip;	/* where the function is traced; 0: it is not hooked */
};

struct kt_hook_probes;

struct kt_hooks {
	struct kt_hook *hooks;
	u32 nr;
	struct kt_hook_probes *probes;	/* while they are attached */
	u64 missed;			/* missed calls up to the last detach */
};

/*
 * Hooks all functions of the list that this kernel has. Process context, may sleep; the caller
 * serializes attach and detach. Returns 0, -ENOENT if no function of some kind is found, or
 * another negative errno.
 */
int kt_hooks_attach(struct kt_hooks *hooks);
void kt_hooks_detach(struct kt_hooks *hooks);	/* returns when no hook runs any more */
/* Returns how many calls the kernel ever failed to observe. Not during attach or detach. */
u64 kt_hooks_missed(const struct kt_hooks *hooks);

/* Calls that a session has missed. Guarded by the lock of the provider's peers. */
struct kt_hooks_account {
	u64 missed;		/* in earlier times of being attached */
	u64 from;		/* kt_hooks_missed() at the last attach */
};

/* The session is attached from begin to end. Call both while the hooks are attached. */
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
