// SPDX-License-Identifier: GPL-2.0
/*
 * A thread switches to a coroutine, whose stack is mapped next to the stack of the thread: before
 * 6.7 the kernel makes one mapping of both. Each turn() takes 3 ms at least: 2 in the coroutine.
 */
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "victim.h"

#define LEN 65536
#define TURNS 4

static ucontext_t outside, inside;

PROBED void in_coroutine(void)
{
	usleep(2000);
}

PROBED void in_thread(void)
{
	usleep(1000);
}

PROBED void coroutine(void)
{
	for (;;) {
		in_coroutine();
		swapcontext(&inside, &outside);
	}
}

PROBED void turn(void)
{
	swapcontext(&outside, &inside);
	in_thread();
}

PROBED void *thread(void *arg)
{
	int i;

	for (i = 0; i < TURNS; i++)
		turn();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t id;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		printf("coroutine 1\nin_coroutine %d\nin_thread %d\nmain 1\nthread 1\nturn %d\n",
		       TURNS, TURNS, TURNS);
		return 0;
	case VICTIM_TREE:
		return VICTIM_USAGE;
	default:
		getcontext(&inside);
		inside.uc_stack.ss_size = LEN;
		inside.uc_stack.ss_sp = mmap(NULL, LEN, PROT_READ | PROT_WRITE,
					     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		makecontext(&inside, coroutine, 0);
		if (pthread_create(&id, NULL, thread, NULL))
			return 1;
		pthread_join(id, NULL);
		printf("%d turns\n", TURNS);
		return 17;
	}
}
