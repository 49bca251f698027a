// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that end deep in frames of C++: by pthread_exit(), or cancelled while they wait. Both
 * unwind: destructors on the way must run, and are counted.
 */
#include <pthread.h>
#include <semaphore.h>

#include "victim.h"

#define THREADS 8
#define DEPTH 5

static int guards;
static sem_t is_waiting, never;

struct Guard {
	PROBED ~Guard();
};

Guard::~Guard()
{
	__atomic_add_fetch(&guards, 1, __ATOMIC_SEQ_CST);
}

PROBED void leave(long n)
{
	if (n % 2)
		pthread_exit(reinterpret_cast<void *>(n));
	sem_post(&is_waiting);
	sem_wait(&never);
}

/* n / THREADS frames deep */
PROBED void deeper(long n)
{
	Guard guard;

	if (n < 2 * THREADS)
		leave(n % THREADS);
	else
		deeper(n - THREADS);
}

PROBED void *work(void *arg)
{
	Guard guard;

	deeper(reinterpret_cast<long>(arg) + DEPTH * THREADS);
	return nullptr;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	void *result;
	long i, sum = 0, cancelled = 0;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		printf("Guard::~Guard() %d\ndeeper(long) %d\nleave(long) %d\nmain 1\n"
		       "work(void*) %d\n", THREADS * (DEPTH + 1), THREADS * DEPTH, THREADS,
		       THREADS);
		return 0;
	case VICTIM_TREE:
		return VICTIM_USAGE;
	default:
		sem_init(&is_waiting, 0, 0);
		sem_init(&never, 0, 0);
		for (i = 0; i < THREADS; i++)
			if (pthread_create(&thread[i], NULL, work, reinterpret_cast<void *>(i)))
				return 1;
		for (i = 0; i < THREADS; i += 2)
			sem_wait(&is_waiting);
		for (i = 0; i < THREADS; i++) {
			if (i % 2 == 0)
				pthread_cancel(thread[i]);
			pthread_join(thread[i], &result);
			if (result == PTHREAD_CANCELED)
				cancelled++;
			else
				sum += reinterpret_cast<long>(result);
		}
		printf("guards %d sum %ld cancelled %ld\n", guards, sum, cancelled);
		return 42;
	}
}
