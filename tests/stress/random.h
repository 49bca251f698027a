/* SPDX-License-Identifier: GPL-2.0 */
/* Random numbers that depend on a seed: splitmix64. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
	uint64_t state;
};

static inline uint64_t random_u64(struct random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* Returns one of 0 .. n - 1. */
static inline uint32_t random_below(struct random *r, uint32_t n)
{
	return random_u64(r) % n;
}

static inline bool random_one_in(struct random *r, uint32_t n)
{
	return !random_below(r, n);
}

#endif
