// SPDX-License-Identifier: GPL-2.0
/*
 * emptycall NR        outer() calls empty() NR times, outer_stepped() stepped(), outer_tiny()
 * tiny() emptycall work NR   work() calls empty() NR times, and also computes
 * emptycall 0         calls empty() until it is killed; prints a line with the number of calls for
 *                     each 100 ms, after a call of seldom()
 */
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "victim.h"

/* Its first instruction is one that kernels emulate. */
PROBED void empty(void)
{
	__asm__ volatile("push %rax\n\tpop %rax");
}

/* Its first instruction is one that kernels single-step. */
PROBED void stepped(void)
{
	__asm__ volatile("sub $8, %rsp\n\tadd $8, %rsp");
}

/* Its first instruction is its last. */
PROBED void tiny(void)
{
	__asm__ volatile("");
}

PROBED void outer(unsigned long nr)
{
	while (nr--)
		empty();
}

PROBED void outer_stepped(unsigned long nr)
{
	while (nr--)
		stepped();
}

PROBED void outer_tiny(unsigned long nr)
{
	while (nr--)
		tiny();
}

/* Beside each call, it works for as long as a hit costs, or longer. */
PROBED void work(unsigned long nr)
{
	volatile int i;

	while (nr--) {
		for (i = 0; i < 2000; i++)
			;
		empty();
	}
}

PROBED void seldom(void)
{
	__asm__ volatile("");
}

FOLDED long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000L + now.tv_nsec / 1000000;
}

FOLDED unsigned long run_for(long ms)
{
	unsigned long calls = 0;
	long end = now_ms() + ms;

	do {
		int i;

		for (i = 0; i < 100; i++)
			empty();
		calls += i;
	} while (now_ms() < end);
	return calls;
}

/* It never returns, as its code shows. */
PROBED __attribute__((noreturn)) void serve(void)
{
	for (;;) {
		seldom();
		printf("%lu\n", run_for(100));
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	enum victim_mode mode = victim_mode(&argc, &argv);
	bool works = argc > 1 && !strcmp(argv[1], "work");
	unsigned long nr = victim_number(argc, argv, 1 + works, 100000);

	if (mode != VICTIM_RUN) {
		fputs("emptycall: its calls are those of its argument\n", stderr);
		return VICTIM_USAGE;
	}
	if (works) {
		work(nr);
		return 0;
	}
	if (nr) {
		outer(nr);
		outer_stepped(nr);
		outer_tiny(nr);
		return 0;
	}
	serve();
}
