/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code that all victims share.
 *
 *	VICTIM [ARGS]                  runs, prints its results
 *	VICTIM --expect [ARGS]         prints "FUNCTION CALLS" of that run, sorted (C locale)
 *	VICTIM --expect-tree [ARGS]    prints its call tree, with its own functions only
 *
 * In a tree, a frame that ends by exception or longjmp has UNWOUND after its closing line (or its leaf line). A function that is reached by a jump at the end of another
 * is inside that one. Stacks and processes are separate trees with an empty line between them, in
 * order of their first call.
 *
 * Nothing here may become a function of its own, because it would be probed too.
 */
#ifndef VICTIM_H
#define VICTIM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Neither inlined, cloned nor split: one call in the source is one call. */
#define PROBED __attribute__((noipa))
#define FOLDED static inline __attribute__((always_inline))
#define UNWOUND " /* unwound, at most */"

/* Exit status of a victim that has no such expectation, or gets invalid arguments. */
#define VICTIM_USAGE 64

enum victim_mode { VICTIM_RUN, VICTIM_COUNTS, VICTIM_TREE };

/* Removes --expect or --expect-tree from the front of the arguments. */
FOLDED enum victim_mode victim_mode(int *argc, char ***argv)
{
	enum victim_mode mode = VICTIM_RUN;

	if (*argc > 1 && !strcmp((*argv)[1], "--expect"))
		mode = VICTIM_COUNTS;
	else if (*argc > 1 && !strcmp((*argv)[1], "--expect-tree"))
		mode = VICTIM_TREE;
	if (mode != VICTIM_RUN) {
		(*argc)--;
		(*argv)++;
	}
	return mode;
}

FOLDED unsigned long long victim_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

FOLDED void victim_line(int depth, const char *text)
{
	printf("%*s%s\n", 2 * depth, "", text);
}

FOLDED unsigned long victim_number(int argc, char **argv, int arg, unsigned long otherwise)
{
	return argc > arg ? strtoul(argv[arg], NULL, 0) : otherwise;
}

#endif
