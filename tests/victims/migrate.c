// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts that begin in one thread, wait with open calls, and continue in another thread: two
 * threads take turns, and each time resume the contexts that the other left.
 */
#include <pthread.h>
#include <ucontext.h>

#include "victim.h"

#define CONTEXTS 4
#define STEPS 6

/* One context runs at a time, and switches back to the thread that resumed it. */
static ucontext_t context[CONTEXTS], back;
static char stack[CONTEXTS][65536];
static int sum, turn;

PROBED int work(int n)
{
	return n * 3 + 1;
}

PROBED void wait_under_a_frame(int which)
{
	swapcontext(&context[which], &back);
}

PROBED void step(int which, int n)
{
	sum += work(n);
	wait_under_a_frame(which);
	sum += work(which);
}

PROBED void context_main(int which)
{
	int i;

	for (i = 0; i < STEPS; i++)
		step(which, i);
}

PROBED void resume_all(void)
{
	int i;

	for (i = 0; i < CONTEXTS; i++)
		swapcontext(&back, &context[i]);
}

/* In the last turn all contexts end. */
PROBED void *take_turns(void *arg)
{
	int me = (long)arg, i;

	for (i = me; i <= STEPS; i += 2) {
		while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != i)
			sched_yield();
		resume_all();
		__atomic_store_n(&turn, i + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int i;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		printf("context_main %d\nmain 1\nresume_all %d\nstep %d\ntake_turns 2\n"
		       "wait_under_a_frame %d\nwork %d\n", CONTEXTS, STEPS + 1, CONTEXTS * STEPS,
		       CONTEXTS * STEPS, 2 * CONTEXTS * STEPS);
		return 0;
	case VICTIM_TREE:
		return VICTIM_USAGE;
	default:
		for (i = 0; i < CONTEXTS; i++) {
			getcontext(&context[i]);
			context[i].uc_stack.ss_sp = stack[i];
			context[i].uc_stack.ss_size = sizeof(stack[i]);
			context[i].uc_link = &back;
			makecontext(&context[i], (void (*)(void))context_main, 1, i);
		}
		if (pthread_create(&thread, NULL, take_turns, (void *)1L))
			return 1;
		take_turns(NULL);
		pthread_join(thread, NULL);
		printf("sum %d\n", sum);
		return 44;
	}
}
