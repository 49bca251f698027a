// SPDX-License-Identifier: GPL-2.0
/*
 * A thread switches to a coroutine, and handles a signal. The stacks of both are mapped next to the
 * stack of the thread: before 6.7 the kernel makes one mapping of all. Each turn() takes 4 ms at
 * least: 2 in the coroutine, and 1 in the handler, which interrupts in_thread().
 */
#include <pthread.h>
#include <signal.h>
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

PROBED void on_signal(int sig)
{
	usleep(sig == SIGUSR1 ? 1000 : 0);
}

PROBED void in_thread(void)
{
	raise(SIGUSR1);
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
	stack_t alternate = { .ss_sp = arg, .ss_size = LEN };
	int i;

	if (sigaltstack(&alternate, NULL))
		return NULL;
	for (i = 0; i < TURNS; i++)
		turn();
	return arg;
}

FOLDED void *stack_of_len(void)
{
	return mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	pthread_t id;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		printf("coroutine 1\nin_coroutine %d\nin_thread %d\nmain 1\non_signal %d\nthread 1\nturn %d\n",
		       TURNS, TURNS, TURNS, TURNS);
		return 0;
	case VICTIM_TREE:
		return VICTIM_USAGE;
	default:
		getcontext(&inside);
		inside.uc_stack.ss_size = LEN;
		inside.uc_stack.ss_sp = stack_of_len();
		makecontext(&inside, coroutine, 0);
		if (sigaction(SIGUSR1, &action, NULL) ||
		    pthread_create(&id, NULL, thread, stack_of_len()))
			return 1;
		pthread_join(id, NULL);
		printf("%d turns\n", TURNS);
		return 17;
	}
}
