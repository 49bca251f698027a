/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_KFUNC_PLACE_H
#define KT_KFUNC_PLACE_H

#include <linux/types.h>

struct kt_kfunc;
struct kt_kfuncs;

/* From the address of a probe to its function: an open hash table, at most half full. */
struct kt_kfunc_places {
	u32 mask;		/* number of slots - 1 */
	u32 shift;		/* from the hash of an address to its slot */
	u32 nr;
	unsigned long *ips;	/* [nr] */
	struct kt_kfunc_place {
		unsigned long ip;	/* 0: free */
		u32 func;
	} slots[];
};

/*
 * Finds the place of the function tracer in each function that has neither an error nor a probe of
 * its own. A function without such a place gets an error. Process context. Returns NULL if there is
 * no memory, or if the session was cancelled; *error is -ENOMEM or -EINTR then.
 */
struct kt_kfunc_places *kt_kfunc_places_create(struct kt_kfuncs *kfuncs, int *error);
void kt_kfunc_places_free(struct kt_kfunc_places *places);

/* Returns true if the function is at the address that user space gave. Process context. */
bool kt_kfunc_is_at(const struct kt_kfunc *kfunc);

#define KT_NO_KFUNC 0xffffffffU

/* Fibonacci hashing: the factor is 2^64 divided by the golden ratio. */
static inline u32 kt_kfunc_slot(const struct kt_kfunc_places *places, unsigned long ip)
{
	return ((u64)ip * 0x9e3779b97f4a7c15ULL) >> (places->shift & 63);
}

/* Returns the function whose probe is at ip, or KT_NO_KFUNC. Any context. */
static inline u32 kt_kfunc_places_find(const struct kt_kfunc_places *places, unsigned long ip)
{
	u32 slot = kt_kfunc_slot(places, ip);

	for (; places->slots[slot].ip; slot = (slot + 1) & places->mask)
		if (likely(places->slots[slot].ip == ip))
			return places->slots[slot].func;
	return KT_NO_KFUNC;
}

#endif
