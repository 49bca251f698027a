// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that end long before the next hit: by longjmp, by an exception, and by a jump to a function
 * without a probe. Prints "FUNCTION NS" lines: the time of each outermost call, and the own time of
 * each function that goes on, by the program's own clock. Arguments select some; default is all.
 */
#include "victim.h"

#include <setjmp.h>

#define TURNS 1500000

extern "C" {

static volatile int sink;
static unsigned long long ended;
static jmp_buf back;

FOLDED void burn(int times)
{
	int i;

	for (i = 0; i < TURNS * times; i++)
		sink = sink + i;
}

FOLDED unsigned long long now(void)
{
	return victim_ns(CLOCK_MONOTONIC);
}

PROBED void leap(int n)
{
	burn(1);
	if (n)
		leap(n - 1);
	ended = now();
	if (ended)
		longjmp(back, 1);
}

PROBED void fly(int n)
{
	burn(1);
	if (n)
		fly(n - 1);
	ended = now();
	throw n;
}

/* Tests exclude this function. */
PROBED int unseen(int n)
{
	ended = now();
	return n + 1;
}

static int (*volatile target)(int) = unseen;

PROBED int leave(int n)
{
	burn(1);
	return target(n);
}

PROBED void after(void)
{
	sink = 0;
}

PROBED void lands(unsigned long long *begin)
{
	if (!setjmp(back)) {
		*begin = now();
		leap(3);
	}
	burn(4);
	after();
}

PROBED void catches(unsigned long long *begin)
{
	try {
		*begin = now();
		fly(3);
	} catch (int) {
	}
	burn(4);
	after();
}

PROBED void idles(unsigned long long *begin)
{
	*begin = now();
	sink += leave(1);
	burn(4);
	after();
}

} /* extern "C" */

static const struct {
	const char *around, *inside;
	void (*run)(unsigned long long *begin);
} cases[] = {
	{ "lands", "leap", lands }, { "catches", "fly", catches }, { "idles", "leave", idles },
};

int main(int argc, char **argv)
{
	unsigned long long begin, end;

	for (const auto &one : cases) {
		if (argc > 1 && strcmp(argv[1], one.inside))
			continue;
		one.run(&begin);
		end = now();
		printf("%s %llu\n%s %llu\n", one.inside, ended - begin, one.around, end - ended);
	}
	return 0;
}
