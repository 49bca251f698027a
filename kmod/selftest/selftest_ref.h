/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reference for the shadow stack of a task, as simple as possible: a list of calls in order of
 * entry. The self-test of the module and tests/model compare their stacks with it.
 */
#ifndef KT_SELFTEST_REF_H
#define KT_SELFTEST_REF_H

#include <linux/types.h>

#ifndef KT_REF_CALLS
#define KT_REF_CALLS 256
#endif

struct kt_ref_call {
	unsigned long sp;
	u64 id;
	u32 func;
	s32 parent;		/* -1: none */
	u32 depth;		/* number of ancestors, open or not */
	bool is_home, is_open, is_recursive;
	bool is_left, is_over;	/* left by a jump; its return address is gone from sp */
	bool is_tail;		/* its parent jumped to it, and ends with it */
	unsigned long ret;	/* of a call that is left: the return address */
};

struct kt_ref {
	struct kt_ref_call call[KT_REF_CALLS];
	s32 nr;
	s32 running;		/* -1: not known */
	u32 nr_unwound;
	unsigned long signal_low, signal_len;	/* the stack of signal handlers, if there is one */
};

static inline s32 kt_ref_open(const struct kt_ref *ref, s32 n)
{
	while (n >= 0 && !ref->call[n].is_open)
		n = ref->call[n].parent;
	return n;
}

static inline void kt_ref_close(struct kt_ref *ref, s32 n)
{
	ref->call[n].is_open = false;
	if (ref->running == n)
		ref->running = kt_ref_open(ref, n);
}

static inline void kt_ref_trim(struct kt_ref *ref)
{
	while (ref->nr && !ref->call[ref->nr - 1].is_open)
		ref->nr--;
}

/* Ends a call, and the calls that jumped to it. */
static inline void kt_ref_end(struct kt_ref *ref, s32 n)
{
	s32 last;

	do {
		last = n;
		kt_ref_close(ref, n);
		n = ref->call[n].parent;
	} while (ref->call[last].is_tail && n >= 0);
}

/* Before a call at sp: ends the newest calls as long as they are left and over. */
static inline void kt_ref_settle(struct kt_ref *ref, unsigned long sp)
{
	const struct kt_ref_call *c;

	for (; ref->nr; kt_ref_trim(ref)) {
		c = &ref->call[ref->nr - 1];
		if (!c->is_left || !c->is_over || c->sp == sp || (c->is_home && c->sp < sp))
			return;
		kt_ref_end(ref, ref->nr - 1);
	}
}

/*
 * A call at sp proves that all calls below sp at home have ended, and on any stack a call at the
 * same sp (with_sp).
 */
static inline void kt_ref_unwind(struct kt_ref *ref, s32 from, unsigned long sp, bool is_home,
				 bool with_sp)
{
	struct kt_ref_call *c;
	s32 n;

	for (n = ref->nr - 1; n > from; n--) {
		c = &ref->call[n];
		if (c->is_open && ((with_sp && c->sp == sp) ||
				   (is_home && c->is_home && c->sp < sp))) {
			kt_ref_close(ref, n);
			ref->nr_unwound += !c->is_left;
		}
	}
}

static inline bool kt_ref_is_signals(const struct kt_ref *ref, unsigned long sp)
{
	return sp >= ref->signal_low && sp < ref->signal_low + ref->signal_len;
}

/*
 * Returns the nearest call above sp on the same kind of stack, else the call that ran. Only calls
 * on the signal stack are callers there.
 */
static inline s32 kt_ref_caller(const struct kt_ref *ref, unsigned long sp, bool is_home)
{
	const struct kt_ref_call *c;
	s32 n, best = -1;

	for (n = ref->nr - 1; n >= 0; n--) {
		c = &ref->call[n];
		if (c->is_open && c->is_home == is_home && c->sp > sp &&
		    (!kt_ref_is_signals(ref, sp) || kt_ref_is_signals(ref, c->sp)) &&
		    (best < 0 || c->sp < ref->call[best].sp))
			best = n;
	}
	return best < 0 ? ref->running : best;
}

static inline bool kt_ref_is_recursive(const struct kt_ref *ref, s32 n, u32 func)
{
	for (; n >= 0; n = ref->call[n].parent)
		if (ref->call[n].func == func && ref->call[n].is_open)
			return true;
	return false;
}

static inline void kt_ref_push(struct kt_ref *ref, u32 func, unsigned long sp, bool is_home,
			       u64 id, s32 parent, bool is_tail)
{
	struct kt_ref_call *c = &ref->call[ref->nr];

	c->sp = sp;
	c->id = id;
	c->func = func;
	c->parent = parent;
	c->depth = parent < 0 ? 0 : ref->call[parent].depth + 1;
	c->is_home = is_home;
	c->is_open = true;
	c->is_left = false;
	c->is_tail = is_tail;
	c->is_recursive = kt_ref_is_recursive(ref, parent, func);
	ref->running = ref->nr++;
}

/* The caller has made room for the call; is_full: there is no room. */
static inline void kt_ref_enter(struct kt_ref *ref, u32 func, unsigned long sp, bool is_home,
				u64 id, bool is_full)
{
	kt_ref_settle(ref, sp);
	kt_ref_unwind(ref, -1, sp, is_home, true);
	kt_ref_trim(ref);
	if (!is_full)
		kt_ref_push(ref, func, sp, is_home, id, kt_ref_caller(ref, sp, is_home), false);
}

/* Returns the newest open call at sp if it is left, else -1. */
static inline s32 kt_ref_left(const struct kt_ref *ref, unsigned long sp)
{
	s32 n = ref->nr - 1;

	while (n >= 0 && !(ref->call[n].is_open && ref->call[n].sp == sp))
		n--;
	return n >= 0 && ref->call[n].is_left ? n : -1;
}

/*
 * The call that is left at sp has jumped to func. The new call is inside it, or takes the place of
 * an earlier call of func in the chain of jumps.
 */
static inline void kt_ref_enter_tail(struct kt_ref *ref, u32 func, unsigned long sp,
				     bool is_home, u64 id, bool is_full)
{
	s32 from = kt_ref_left(ref, sp), parent = from, n = from;
	bool is_tail = true;

	kt_ref_unwind(ref, -1, sp, is_home, false);
	kt_ref_trim(ref);
	while (ref->call[n].func != func && ref->call[n].is_tail)
		n = ref->call[n].parent;
	if (ref->call[n].func == func) {
		parent = ref->call[n].parent;
		is_tail = ref->call[n].is_tail;
		for (; from != parent; from = ref->call[from].parent)
			kt_ref_close(ref, from);
		kt_ref_trim(ref);
	}
	if (!is_full)
		kt_ref_push(ref, func, sp, is_home, id, parent, is_tail);
}

/* Returns the newest open call of func at sp, or -1. */
static inline s32 kt_ref_find(const struct kt_ref *ref, u32 func, unsigned long sp)
{
	s32 n = ref->nr - 1;

	while (n >= 0 && !(ref->call[n].is_open && ref->call[n].sp == sp &&
			   ref->call[n].func == func))
		n--;
	return n;
}

/* Ends the calls that were left inside around: not at home, and near it. */
static inline void kt_ref_end_inside(struct kt_ref *ref, s32 around)
{
	s32 n;

	for (; ref->nr - 1 > around; kt_ref_trim(ref)) {
		n = ref->nr - 1;
		if (!ref->call[n].is_left || ref->call[n].is_home ||
		    ref->call[n].sp >= ref->call[around].sp ||
		    ref->call[around].sp - ref->call[n].sp >= KT_SHADOW_NEAR)
			return;
		while (ref->call[n].is_tail)
			n = ref->call[n].parent;
		if (kt_ref_open(ref, ref->call[n].parent) != around)
			return;
		kt_ref_end(ref, ref->nr - 1);
	}
}

/* A call of func at sp jumps out of its function. Returns false if there is no such call. */
static inline bool kt_ref_leave(struct kt_ref *ref, u32 func, unsigned long sp)
{
	s32 n = kt_ref_find(ref, func, sp);

	if (n < 0)
		return false;
	kt_ref_unwind(ref, n, sp, ref->call[n].is_home, true);
	kt_ref_trim(ref);
	kt_ref_end_inside(ref, n);
	ref->call[n].is_left = true;
	ref->call[n].is_over = false;
	ref->running = n;
	return true;
}

/* A return at sp of a function without calls here. */
static inline void kt_ref_return_at(struct kt_ref *ref, unsigned long sp, bool is_home)
{
	s32 n;

	if (ref->nr && ref->call[ref->nr - 1].sp < sp && is_home) {
		kt_ref_unwind(ref, -1, sp, true, false);
		kt_ref_trim(ref);
	}
	n = kt_ref_left(ref, sp);
	if (n < 0)
		return;
	kt_ref_end(ref, n);
	ref->running = kt_ref_open(ref, n);
	kt_ref_trim(ref);
}

/* A return of func at sp. Returns false if there is no such open call. */
static inline bool kt_ref_return(struct kt_ref *ref, u32 func, unsigned long sp)
{
	s32 n = kt_ref_find(ref, func, sp);

	if (n < 0) {
		kt_ref_return_at(ref, sp, false);
		return false;
	}
	kt_ref_unwind(ref, n, sp, ref->call[n].is_home, true);
	kt_ref_trim(ref);
	kt_ref_end_inside(ref, n);
	kt_ref_end(ref, n);
	ref->running = kt_ref_open(ref, n);
	kt_ref_trim(ref);
	return true;
}

#endif
