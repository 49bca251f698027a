// SPDX-License-Identifier: GPL-2.0
/*
 * Coroutines with deep stacks. First one with 3000 open calls calls leaf() again and again, then
 * it and another one call leaf() in turn, CALLS times together. Prints the ns of a call of leaf()
 * in both cases.
 */
#include <ucontext.h>

#include "victim.h"

#define DEPTH 3000
#define CALLS 300

static ucontext_t home, one, other;
static char stacks[2][DEPTH * 256];
static volatile int sum;
static int calls = CALLS;
static unsigned long long alone, in_turn;

PROBED void leaf(void)
{
	sum++;
}

FOLDED void call_alone(void)
{
	unsigned long long from = victim_ns(CLOCK_MONOTONIC);
	int i;

	for (i = 0; i < CALLS; i++)
		leaf();
	alone = (victim_ns(CLOCK_MONOTONIC) - from) / CALLS;
}

FOLDED void call_in_turn(void)
{
	unsigned long long from = victim_ns(CLOCK_MONOTONIC);
	int i;

	for (i = 0; i < calls; i += 2) {
		leaf();
		swapcontext(&one, &other);
	}
	in_turn = (victim_ns(CLOCK_MONOTONIC) - from) / calls;
}

PROBED int descend(int depth, int is_first)
{
	int i;

	if (depth)
		return descend(depth - 1, is_first) + 1;
	if (is_first) {
		call_alone();
		call_in_turn();
		swapcontext(&one, &home);
	}
	for (i = 0; i < calls; i++) {
		leaf();
		swapcontext(&other, &one);
	}
	return 0;
}

PROBED void begin(int is_first)
{
	descend(DEPTH, is_first);
}

PROBED void make(ucontext_t *context, int is_first)
{
	getcontext(context);
	context->uc_stack.ss_sp = stacks[is_first];
	context->uc_stack.ss_size = sizeof(stacks[is_first]);
	makecontext(context, (void (*)(void))begin, 1, is_first);
}

int main(int argc, char **argv)
{
	if (victim_mode(&argc, &argv) != VICTIM_RUN)
		return VICTIM_USAGE;
	if (argc > 1)
		calls = atoi(argv[1]);
	make(&one, 1);
	make(&other, 0);
	swapcontext(&home, &one);
	printf("alone %llu in turn %llu\n", alone, in_turn);
	return 0;
}
