/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the shadow stack of a task must be, in the plainest words: a list of calls in
 * order of entry. In step with it run the module's self-test and tests/model.
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
	u32 depth;		/* of its ancestors, open or not */
	bool is_home, is_open, is_recursive;
};

struct kt_ref {
	struct kt_ref_call call[KT_REF_CALLS];
	s32 nr;
	s32 running;		/* -1: not known */
	u32 nr_unwound;
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

/* At home whoever is at sp has left all below, and elsewhere who was at the same place. */
static inline void kt_ref_unwind(struct kt_ref *ref, s32 from, unsigned long sp, bool is_home)
{
	struct kt_ref_call *c;
	s32 n;

	for (n = ref->nr - 1; n > from; n--) {
		c = &ref->call[n];
		if (c->is_open && (c->sp == sp || (is_home && c->is_home && c->sp < sp))) {
			kt_ref_close(ref, n);
			ref->nr_unwound++;
		}
	}
}

/* Of the same kind of stack, the nearest above; else who ran. */
static inline s32 kt_ref_caller(const struct kt_ref *ref, unsigned long sp, bool is_home)
{
	const struct kt_ref_call *c;
	s32 n, best = -1;

	for (n = ref->nr - 1; n >= 0; n--) {
		c = &ref->call[n];
		if (c->is_open && c->is_home == is_home && c->sp > sp &&
		    (best < 0 || c->sp < ref->call[best].sp))
			best = n;
	}
	return best < 0 ? ref->running : best;
}

static inline bool kt_ref_is_recursive(const struct kt_ref *ref, s32 n, u32 func)
{
	for (; n >= 0; n = ref->call[n].parent)
		if (ref->call[n].func == func)
			return true;
	return false;
}

/* Room was made by the caller: is_full says that there is none. */
static inline void kt_ref_enter(struct kt_ref *ref, u32 func, unsigned long sp, bool is_home,
				u64 id, bool is_full)
{
	struct kt_ref_call *c;
	s32 parent;

	kt_ref_unwind(ref, -1, sp, is_home);
	kt_ref_trim(ref);
	if (is_full)
		return;
	parent = kt_ref_caller(ref, sp, is_home);
	c = &ref->call[ref->nr];
	c->sp = sp;
	c->id = id;
	c->func = func;
	c->parent = parent;
	c->depth = parent < 0 ? 0 : ref->call[parent].depth + 1;
	c->is_home = is_home;
	c->is_open = true;
	c->is_recursive = kt_ref_is_recursive(ref, parent, func);
	ref->running = ref->nr++;
}

/* False: nobody is open there. */
static inline bool kt_ref_return(struct kt_ref *ref, u32 func, unsigned long sp)
{
	s32 n = ref->nr - 1;

	while (n >= 0 && !(ref->call[n].is_open && ref->call[n].sp == sp &&
			   ref->call[n].func == func))
		n--;
	if (n < 0)
		return false;
	kt_ref_unwind(ref, n, sp, ref->call[n].is_home);
	kt_ref_close(ref, n);
	ref->running = kt_ref_open(ref, n);
	kt_ref_trim(ref);
	return true;
}

#endif
