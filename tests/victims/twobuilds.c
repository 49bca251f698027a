// SPDX-License-Identifier: GPL-2.0
/* Two builds of one program: SLOW makes one function slower, and calls another one in place of a third. */
#include <time.h>

#include "victim.h"

#define ROUNDS 10

static void sleep_ms(long ms)
{
	const struct timespec time = { 0, ms * 1000000 };

	nanosleep(&time, 0);
}

PROBED int parse(int n)
{
#ifdef SLOW
	sleep_ms(30);
#else
	sleep_ms(3);
#endif
	return n + 1;
}

PROBED int check(int n)
{
	sleep_ms(2);
	return n & 1;
}

#ifdef SLOW
PROBED int look_up(int n)
#else
PROBED int search(int n)
#endif
{
	return n * 3;
}

PROBED int work(int n)
{
#ifdef SLOW
	return parse(n) + check(n) + look_up(n);
#else
	return parse(n) + check(n) + search(n);
#endif
}

int main(void)
{
	int i, sum = 0;

	for (i = 0; i < ROUNDS; i++)
		sum += work(i);
	return !sum;
}
