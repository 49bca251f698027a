// SPDX-License-Identifier: GPL-2.0
/*
 * A deep stack, and events for which the shadow stack must look at all frames: a coroutine's calls,
 * a child's returns, a jump out of all calls, an exit. Meanwhile a real-time thread wakes up again
 * and again. Its largest delays are printed on standard error: on the way down, while the
 * coroutine ran, and at the jump.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "victim.h"

#define DEPTH 60000
#define VISITS 20
#define CHILD_DEPTH 2000
#define PERIOD_NS 100000
#define STACK (64 << 20)

static ucontext_t below, coroutine;
static char stack[65536];
static jmp_buf top;
static atomic_int has_ended;
static atomic_ullong latest;
static unsigned long long late_deep, late_elsewhere;

PROBED void visit(int n)
{
	atomic_fetch_add(&latest, n < 0);
}

static void visit_all(void)
{
	int i;

	for (i = 0; i < VISITS; i++)
		visit(i);
}

static void go_elsewhere(void)
{
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = sizeof(stack);
	coroutine.uc_link = &below;
	makecontext(&coroutine, visit_all, 0);
	swapcontext(&below, &coroutine);
}

/* How the deepest call ends: 0: it returns, in a child; 1: it jumps out; 2: the process ends. */
PROBED int descend(int n, int how)
{
	if (n)
		return descend(n - 1, how) + 1;
	if (how == 0) {
		pid_t pid = fork();
		int status;

		if (pid)
			exit(waitpid(pid, &status, 0) == pid && !status ? 0 : 1);
		return 0;
	}
	if (how == 1) {
		late_deep = atomic_exchange(&latest, 0);
		go_elsewhere();
		late_elsewhere = atomic_exchange(&latest, 0);
		longjmp(top, 1);
	}
	_exit(47);
}

static void *wake_up(void *unused)
{
	unsigned long long due = victim_ns(CLOCK_MONOTONIC), late;
	struct timespec at;

	while (!has_ended) {
		due += PERIOD_NS;
		at.tv_sec = due / 1000000000;
		at.tv_nsec = due % 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		late = victim_ns(CLOCK_MONOTONIC) - due;
		if (late > latest)
			latest = late;
		due += late;
	}
	return unused;
}

FOLDED void begin_waking_up(pthread_t *thread)
{
	struct sched_param param = { 50 };
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
	pthread_attr_setschedparam(&attr, &param);
	if (pthread_create(thread, &attr, wake_up, NULL))
		exit(1);
}

/* The child's child returns from as many calls as were open. */
FOLDED int has_returned(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(descend(CHILD_DEPTH, 0) == CHILD_DEPTH ? 0 : 1);
	return waitpid(pid, &status, 0) == pid && !status;
}

static void *run(void *unused)
{
	pthread_t thread;

	if (!has_returned())
		exit(1);
	begin_waking_up(&thread);
	if (!setjmp(top))
		descend(DEPTH, 1);
	visit(0);
	has_ended = 1;
	pthread_join(thread, NULL);
	fprintf(stderr, "late %llu %llu %llu\n", late_deep, late_elsewhere,
		(unsigned long long)latest);
	puts("back");
	fflush(stdout);
	descend(DEPTH, 2);
	return unused;
}

/* The calls are made in a thread, whose stack is large enough. */
int main(int argc, char **argv)
{
	pthread_attr_t attr;
	pthread_t thread;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		printf("descend %d\nvisit %d\n", 2 * (DEPTH + 1) + CHILD_DEPTH + 1, VISITS + 1);
		return 0;
	case VICTIM_TREE:
		return VICTIM_USAGE;
	default:
		pthread_attr_init(&attr);
		pthread_attr_setstacksize(&attr, STACK);
		return pthread_create(&thread, &attr, run, NULL) || pthread_join(thread, NULL);
	}
}
