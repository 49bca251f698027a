// SPDX-License-Identifier: GPL-2.0
/*
 * A handler on an alternate stack is interrupted by a second and a third signal. The innermost
 * handler returns, or leaves all of them by siglongjmp().
 */
#include <setjmp.h>
#include <signal.h>

#include "victim.h"

#define ROUNDS 6

static char stack[65536];
static sigjmp_buf home;
static volatile int handled, is_jump;

PROBED int leaf(int n)
{
	return n + 2;
}

PROBED void third(int sig)
{
	handled += leaf(sig);
	if (is_jump)
		siglongjmp(home, 1);
}

PROBED void second(int sig)
{
	handled += leaf(sig);
	raise(SIGHUP);
	handled += leaf(sig);
}

PROBED void first(int sig)
{
	handled += leaf(sig);
	raise(SIGUSR2);
	handled += leaf(sig);
}

PROBED int interrupted(int n)
{
	int before = leaf(n);

	raise(SIGUSR1);
	return before + leaf(n + 1);
}

PROBED int outer(int n)
{
	volatile int result = -n;

	if (!sigsetjmp(home, 1))
		result = interrupted(n);
	return result + leaf(n);
}

FOLDED int handle(int sig, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	return sigaction(sig, &action, NULL);
}

int main(int argc, char **argv)
{
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	int i, sum = 0;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		/* 8 leaves per round; 5 if the third handler jumps: 3 before it, and outer's */
		printf("first %d\ninterrupted %d\nleaf %d\nmain 1\nouter %d\nsecond %d\nthird %d\n",
		       ROUNDS, ROUNDS, ROUNDS / 2 * (8 + 5), ROUNDS, ROUNDS, ROUNDS);
		return 0;
	case VICTIM_TREE:
		return VICTIM_USAGE;
	default:
		if (sigaltstack(&alternate, NULL) || handle(SIGUSR1, first) ||
		    handle(SIGUSR2, second) || handle(SIGHUP, third))
			return 1;
		for (i = 0; i < ROUNDS; i++) {
			is_jump = i % 2;
			sum += outer(i);
		}
		printf("sum %d handled %d\n", sum, handled);
		return 43;
	}
}
