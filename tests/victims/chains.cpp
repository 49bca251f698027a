// SPDX-License-Identifier: GPL-2.0
/*
 * Chains of calls without frame pointers, for a given CPU time:
 *   chains exceptions MS: throws through ten calls with destructors, and catches, again and again
 *   chains thread MS: computes in a thread, while main() waits
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <thread>
#include <time.h>

#define NOINLINE extern "C" __attribute__((noipa))
#define DEPTH 10

static volatile unsigned long sink;

struct Guard {
	~Guard() { sink = sink + 1; }
};

static uint64_t cpu_ms()
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
}

NOINLINE void throws(int n)
{
	throw n;
}

NOINLINE void passes(int n)
{
	Guard guard;

	if (n)
		passes(n - 1);
	else
		throws(n);
}

NOINLINE void catches(int n)
{
	try {
		passes(n);
	} catch (int code) {
		sink = code;
	}
}

NOINLINE void computes(unsigned long n)
{
	for (; n; n--)
		sink = sink * 31 + n;
}

NOINLINE void in_thread(uint64_t ms)
{
	uint64_t until = cpu_ms() + ms;

	while (cpu_ms() < until)
		computes(100000);
}

NOINLINE void throws_often(uint64_t ms)
{
	uint64_t until = cpu_ms() + ms;
	int i;

	while (cpu_ms() < until)
		for (i = 0; i < 100; i++)
			catches(DEPTH);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	if (strcmp(argv[1], "thread"))
		throws_often(atoi(argv[2]));
	else
		std::thread(in_thread, atoi(argv[2])).join();
	return 0;
}
