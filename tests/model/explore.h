/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs C code on a few CPUs in every order there is. Each CPU is a function
 * with a stack of its own, which comes to explore_step() wherever others may
 * notice or disturb it. There it is left, and each of the choices is tried: go on,
 * be interrupted, or let another CPU go on instead. A state is all memory that was
 * named plus the stacks; one that was seen before is not entered again.
 */
#ifndef EXPLORE_H
#define EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPLORE_MAX_CPUS 3

struct explore_result {
	uint64_t nr_states;
	uint64_t nr_ends;	/* states in which all CPUs are done */
	double nr_runs;		/* executions that these stand for */
	unsigned int depth;	/* steps of the longest */
};

struct explore_test {
	void (*cpu[EXPLORE_MAX_CPUS])(void);	/* NULL: none, nor any after it */
	void (*end)(void);			/* all CPUs are done: the last checks */
};

/* Memory that belongs to the state, with what it is to be at the start. */
void explore_keep(void *memory, size_t len);

/* False: a check failed, which was said with the choices that led there. */
bool explore(const struct explore_test *test, struct explore_result *result);

/* Which CPU runs; below 0: none, steps are no steps. */
extern int explore_cpu;

/* Anything may happen here. Bits of choices, of which bit 0 is to go on; the one taken. */
unsigned int explore_step(unsigned int choices);

/* Does not return while exploring. */
void explore_fail(const char *claim, int line);
#define check(claim) ((claim) ? (void)0 : explore_fail(#claim, __LINE__))

#endif
