// SPDX-License-Identifier: GPL-2.0
/*
 * shares MS: ten functions, each of which computes for a known share of the CPU time.
 * shares deep N MS: a function that computes below N recursive calls.
 * shares kernel MS: a loop of system calls.
 * shares fixed N TIMES: always computes the same below N recursive calls; prints the time it took.
 * Prints the names of the functions, each with its CPU time, ns.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A function that calls nothing has a frame only if it uses it. */
#define NOINLINE __attribute__((noinline))

static volatile uint64_t sink;

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

#define WORK(n)								\
static NOINLINE void work_##n(unsigned long times)				\
{									\
	uint64_t x = n + (uintptr_t)__builtin_frame_address(0);		\
									\
	for (; times; times--)						\
		x = x * 6364136223846793005ULL + times;			\
	sink = x;							\
}

WORK(0)
WORK(1)
WORK(2)
WORK(3)
WORK(4)
WORK(5)
WORK(6)
WORK(7)
WORK(8)
WORK(9)

static void (*const works[])(unsigned long) = {
	work_0, work_1, work_2, work_3, work_4, work_5, work_6, work_7, work_8, work_9,
};
/* In percent, on average: rounds differ, so that they are not in step with a timer. */
static const unsigned int shares[] = { 1, 2, 3, 5, 7, 9, 12, 15, 20, 26 };

static NOINLINE void all_works(uint64_t ms)
{
	uint64_t spent[10] = { 0 }, begin = cpu_ns(), before;
	uint32_t random = 1;
	unsigned int i;

	while (cpu_ns() - begin < ms * 1000000) {
		for (i = 0; i < 10; i++) {
			before = cpu_ns();
			random = random * 1664525 + 1013904223;
			works[i](shares[i] * (5000UL + (random >> 16) % 10000));
			spent[i] += cpu_ns() - before;
		}
	}
	for (i = 0; i < 10; i++)
		printf("work_%u %llu\n", i, (unsigned long long)spent[i]);
}

static NOINLINE void deep(unsigned int left, uint64_t ms)
{
	uint64_t begin;

	if (left) {
		deep(left - 1, ms);
		sink++;		/* no tail call */
		return;
	}
	for (begin = cpu_ns(); cpu_ns() - begin < ms * 1000000;)
		work_0(100000);
	sink++;
}

static NOINLINE void fixed(unsigned int left, unsigned long times)
{
	if (left)
		fixed(left - 1, times);
	else
		work_0(times);
	sink++;
}

static void time_fixed(unsigned int depth, unsigned long times)
{
	struct timespec begin, end;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	fixed(depth, times);
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("took %lld\n",
	       (end.tv_sec - begin.tv_sec) * 1000000000LL + end.tv_nsec - begin.tv_nsec);
}

static NOINLINE void calls(uint64_t ms)
{
	int fd = open("/dev/zero", O_RDONLY);
	uint64_t begin = cpu_ns();
	static char to[1 << 16];

	while (cpu_ns() - begin < ms * 1000000)
		if (read(fd, to, sizeof(to)) < 0)
			exit(1);
	printf("calls %llu\n", (unsigned long long)(cpu_ns() - begin));
}

int main(int argc, char **argv)
{
	if (argc == 2)
		all_works(strtoul(argv[1], NULL, 10));
	else if (argc == 3 && !strcmp(argv[1], "kernel"))
		calls(strtoul(argv[2], NULL, 10));
	else if (argc == 4 && !strcmp(argv[1], "deep"))
		deep(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
	else if (argc == 4 && !strcmp(argv[1], "fixed"))
		time_fixed(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
	else
		return 2;
	return 0;
}
