/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_KFUNC_PLACE_H
#define KT_KFUNC_PLACE_H

#include <linux/types.h>

struct kt_kfunc;
struct kt_kfuncs;

/* From the address of a probe to its function: an open hash table, at most half full. */
struct kt_kfunc_places {
	u32 mask;		/* bits of a slot's number; they are those ... */
	u32 shift;		/* ... that this leaves of an address' hash */
	u32 nr;
	unsigned long *ips;	/* [nr] */
	struct kt_kfunc_place {
		unsigned long ip;	/* 0: free */
		u32 func;
	} slots[];
};

/*
 * Finds where the kernel's function tracer has each function that has no error, nor a probe of
 * its own yet; those where it has none get an error. Process context. NULL: no memory, or
 * *error is -EINTR.
 */
struct kt_kfunc_places *kt_kfunc_places_create(struct kt_kfuncs *kfuncs, int *error);
void kt_kfunc_places_free(struct kt_kfunc_places *places);

/* Is it where user space says? Process context. */
bool kt_kfunc_is_at(const struct kt_kfunc *kfunc);

#define KT_NO_KFUNC 0xffffffffU

/* Fibonacci hashing (Knuth, The Art of Computer Programming, 6.4): 2^64 over the golden ratio. */
static inline u32 kt_kfunc_slot(const struct kt_kfunc_places *places, unsigned long ip)
{
	return ((u64)ip * 0x9e3779b97f4a7c15ULL) >> (places->shift & 63);
}

/* Any context; KT_NO_KFUNC: no probe was told to be there. */
static inline u32 kt_kfunc_places_find(const struct kt_kfunc_places *places, unsigned long ip)
{
	u32 slot = kt_kfunc_slot(places, ip);

	for (; places->slots[slot].ip; slot = (slot + 1) & places->mask)
		if (likely(places->slots[slot].ip == ip))
			return places->slots[slot].func;
	return KT_NO_KFUNC;
}

#endif
