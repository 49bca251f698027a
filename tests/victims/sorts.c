// SPDX-License-Identifier: GPL-2.0
/*
 * sorts MS: sorts by qsort() of the C library, again and again: main, sort_all, qsort, ..., compare.
 * No function has a frame pointer. It is stripped, and its functions are exported.
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define NR 2000

int compare(const void *a, const void *b);
void sort_all(void);

static uint32_t numbers[NR];

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int i;

	for (i = 0; i < 100; i++) {
		x = x * 1103515245 + 12345;
		y = y * 1103515245 + 12345;
	}
	return x < y ? -1 : x > y;
}

__attribute__((noinline)) void sort_all(void)
{
	uint32_t i;

	for (i = 0; i < NR; i++)
		numbers[i] = i * 2654435761u;
	qsort(numbers, NR, sizeof(*numbers), compare);
	__asm__ volatile("" : : "r"(numbers) : "memory");
}

int main(int argc, char **argv)
{
	uint64_t end = cpu_ns() + 1000000ULL * (argc > 1 ? atoi(argv[1]) : 1000);

	while (cpu_ns() < end)
		sort_all();
	return 0;
}
