// SPDX-License-Identifier: GPL-2.0
/*
 * Hundreds of threads and processes that start and end. The threads of a wave all run at once, some
 * of them detached. Functions that the processes call are named child_*.
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

#define WAVES 4
#define THREADS 100
#define PROCESSES 200
#define AT_ONCE 20

static long sum;
static pthread_barrier_t barrier;

PROBED long leaf(long n)
{
	return n ^ 5;
}

PROBED void *thread_main(void *arg)
{
	__atomic_add_fetch(&sum, leaf((long)arg), __ATOMIC_SEQ_CST);
	pthread_barrier_wait(&barrier);
	return NULL;
}

PROBED int wave(void)
{
	pthread_attr_t detached;
	pthread_t thread;
	long i;

	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread, &detached, thread_main, (void *)i))
			return 1;
	pthread_barrier_wait(&barrier);
	return 0;
}

PROBED int child_main(int n)
{
	return n % 50 + 1;
}

PROBED int gather(void)
{
	int status, codes = 0;

	while (waitpid(-1, &status, 0) > 0)
		codes += WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
	return codes;
}

PROBED int processes(void)
{
	int codes = 0, i;
	pid_t child;

	for (i = 0; i < PROCESSES; i++) {
		child = fork();
		if (child < 0)
			return -1;
		if (!child)
			_exit(child_main(i));
		if (i % AT_ONCE == AT_ONCE - 1)
			codes += gather();
	}
	return codes;
}

int main(int argc, char **argv)
{
	int i;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		printf("gather %d\nleaf %d\nmain 1\nprocesses 1\nthread_main %d\nwave %d\n",
		       PROCESSES / AT_ONCE, WAVES * THREADS, WAVES * THREADS, WAVES);
		return 0;
	case VICTIM_TREE:
		return VICTIM_USAGE;
	default:
		pthread_barrier_init(&barrier, NULL, THREADS + 1);
		for (i = 0; i < WAVES; i++)
			if (wave())
				return 1;
		printf("sum %ld\n", sum);
		fflush(stdout);
		printf("processes %d\n", processes());
		return 46;
	}
}
