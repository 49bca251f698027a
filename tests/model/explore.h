/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs C code on a few CPUs in every order. Each CPU is a function with a stack of its own, which
 * calls explore_step() wherever other CPUs may see its work or interrupt it. There each of the
 * choices is tried: continue, be interrupted, or let another CPU continue. A state is all memory
 * that was named and the stacks; a state that was seen before is not entered again.
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
	double nr_runs;		/* executions that lead to these states */
	unsigned int depth;	/* steps of the longest execution */
};

struct explore_test {
	void (*cpu[EXPLORE_MAX_CPUS])(void);	/* the first NULL ends them */
	void (*end)(void);			/* last checks, when all CPUs are done */
};

/* Declares memory that belongs to the state, with its content at the start. */
void explore_keep(void *memory, size_t len);

/* Returns false if a check failed, which is printed with the choices that led to it. */
bool explore(const struct explore_test *test, struct explore_result *result);

/* The CPU that runs. Below 0: none, and explore_step() does nothing. */
extern int explore_cpu;

/*
 * A step. choices: bits of the possible choices, where bit 0 is to continue. Returns one of them.
 */
unsigned int explore_step(unsigned int choices);

/* Does not return during an exploration. */
void explore_fail(const char *claim, int line);
#define check(claim) ((claim) ? (void)0 : explore_fail(#claim, __LINE__))

#endif
