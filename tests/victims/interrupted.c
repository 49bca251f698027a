// SPDX-License-Identifier: GPL-2.0
/*
 * Another thread sends signals without pause, while functions are called whose first instruction
 * the kernel single-steps: each instruction must be executed once.
 */
#include <pthread.h>
#include <signal.h>

#include "victim.h"

#define CALLS 4000

#define ASM(name, code) \
	void name(void); \
	asm(".pushsection .text\n.globl " #name "\n.type " #name ", @function\n" \
	    #name ":\n" code "\n ret\n.size " #name ", . - " #name "\n.popsection\n")

long counter;
static volatile long handled;
static volatile int is_over;

ASM(adds, "addq $1, counter(%rip)");
ASM(moves_sp, "subq $24, %rsp\n addq $24, %rsp");

static void on_signal(int sig)
{
	handled += sig == SIGUSR1;
}

static void *sender(void *arg)
{
	while (!is_over)
		pthread_kill(*(pthread_t *)arg, SIGUSR1);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t me = pthread_self(), thread;
	int i;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		printf("adds %d\nmoves_sp %d\n", CALLS, CALLS);
		return 0;
	case VICTIM_TREE:
		return VICTIM_USAGE;
	default:
		signal(SIGUSR1, on_signal);
		if (pthread_create(&thread, NULL, sender, &me))
			return 1;
		for (i = 0; i < CALLS; i++) {
			adds();
			moves_sp();
		}
		is_over = 1;
		pthread_join(thread, NULL);
		printf("%ld\n", counter);
		return 51;
	}
}
