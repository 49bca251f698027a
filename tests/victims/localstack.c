// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks in local variables: of a coroutine, and for signals. With "clock" it prints how long
 * resume() took by its own clock.
 */
#include <search.h>
#include <signal.h>
#include <ucontext.h>

#include "victim.h"

#define STEPS 4
#define SPINS 20000

static ucontext_t home, other;
static volatile unsigned long sum;
static unsigned long long took;

PROBED void work(int n)
{
	int i;

	for (i = 0; i < SPINS; i++)
		sum += n;
}

PROBED void hand_back(void)
{
	swapcontext(&other, &home);
	sum++;
}

PROBED void step(int n)
{
	work(n);
	hand_back();
}

PROBED void coroutine(void)
{
	int i;

	for (i = 0; i < STEPS; i++)
		step(i);
}

/* Works after the moment that looks like a longjmp out of this call. */
PROBED void resume(int n)
{
	swapcontext(&home, &other);
	work(n);
}

PROBED void with_coroutine(void)
{
	char stack[65536];
	unsigned long long before;
	int i;

	getcontext(&other);
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = sizeof(stack);
	other.uc_link = &home;
	makecontext(&other, coroutine, 0);
	for (i = 0; i <= STEPS; i++) {
		before = victim_ns(CLOCK_MONOTONIC);
		resume(i);
		took += victim_ns(CLOCK_MONOTONIC) - before;
	}
}

PROBED void on_signal(int sig)
{
	work(sig);
}

PROBED void interrupted(void)
{
	raise(SIGUSR1);
	work(1);
}

PROBED void with_signals(void)
{
	char stack[65536];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) }, none = { .ss_flags = SS_DISABLE };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	if (sigaltstack(&alternate, NULL) || sigaction(SIGUSR1, &action, NULL))
		exit(1);
	interrupted();
	sigaltstack(&none, NULL);
}

/* A real longjmp is still recognised. */
PROBED void leave(void)
{
	setcontext(&home);
}

PROBED void leave_from_below(void)
{
	char room[4096];

	__asm__ volatile("" : : "r" (room) : "memory");
	leave();
}

PROBED int compare(const void *a, const void *b)
{
	work(3);
	return *(const char *)a - *(const char *)b;
}

/* The next call is a callback of a library, which looks like a call on another stack. */
PROBED void with_jump(void)
{
	volatile int nr_times = 0;
	size_t nr = 1;

	getcontext(&home);
	if (!nr_times++)
		leave_from_below();
	lfind("b", "b", &nr, 1, compare);
	work(2);
}

int main(int argc, char **argv)
{
	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		printf("compare 1\ncoroutine 1\nhand_back %d\ninterrupted 1\nleave 1\n"
		       "leave_from_below 1\nmain 1\non_signal 1\nresume %d\nstep %d\nwith_coroutine 1\nwith_jump 1\nwith_signals 1\n"
		       "work %d\n", STEPS, STEPS + 1, STEPS, 2 * STEPS + 5);
		return 0;
	case VICTIM_TREE:
		return VICTIM_USAGE;
	default:
		with_coroutine();
		with_signals();
		with_jump();
		if (argc > 1)
			printf("%llu\n", took);
		else
			printf("sum %lu\n", sum);
		return 17;
	}
}
