// SPDX-License-Identifier: GPL-2.0
/* threads64 [ROUNDS]: starts and ends 64 threads in a burst, ROUNDS times. */
#include <pthread.h>

#include "victim.h"

#define THREADS 64UL
#define OUTER 20UL
#define INNER 5UL

PROBED unsigned long inner(unsigned long n)
{
	return n ^ (n >> 1);
}

PROBED unsigned long outer(unsigned long n)
{
	unsigned long i, sum = 0;

	for (i = 0; i < INNER; i++)
		sum += inner(n + i);
	return sum;
}

PROBED void *thread_main(void *arg)
{
	unsigned long i, sum = 0;

	for (i = 0; i < OUTER; i++)
		sum += outer((unsigned long)arg + i);
	return (void *)sum;
}

int main(int argc, char **argv)
{
	enum victim_mode mode = victim_mode(&argc, &argv);
	unsigned long rounds = victim_number(argc, argv, 1, 1);
	unsigned long round, i, sum = 0;
	pthread_t thread[THREADS];
	void *result;

	if (mode == VICTIM_COUNTS) {
		printf("inner %lu\nmain 1\nouter %lu\nthread_main %lu\n",
		       rounds * THREADS * OUTER * INNER, rounds * THREADS * OUTER,
		       rounds * THREADS);
		return 0;
	}
	if (mode == VICTIM_TREE)
		return VICTIM_USAGE;
	for (round = 0; round < rounds; round++) {
		for (i = 0; i < THREADS; i++)
			if (pthread_create(&thread[i], NULL, thread_main, (void *)i))
				return 1;
		for (i = 0; i < THREADS; i++) {
			pthread_join(thread[i], &result);
			sum += (unsigned long)result;
		}
	}
	printf("sum %lu\n", sum);
	return 17;
}
