// SPDX-License-Identifier: GPL-2.0
/*
 * storm [THREADS [FAMILIES]]: THREADS (8) threads call probed functions as fast as they can, and
 * FAMILIES (1) threads fork children without end, which end by themselves, by another thread's exit
 * or by a signal, during calls. Runs until SIGTERM or SIGINT. Prints "ready PID" first, and at the
 * end the numbers of calls by its own threads. Ends with 23, or with 1 if a result was wrong.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../victims/victim.h"

#define MAX_THREADS 64
#define WIDTH 5

static volatile int is_over, is_wrong;

PROBED long leaf(long n)
{
	return n * 3 + 1;
}

PROBED long inner(long n)
{
	long i, sum = 0;

	for (i = 0; i < WIDTH; i++)
		sum += leaf(n + i);
	return sum;
}

PROBED long deep(long n, int levels)
{
	return levels ? deep(n + 1, levels - 1) + 1 : inner(n);
}

PROBED long outer(long n)
{
	return inner(n) + deep(n, 4);
}

/* Returns the result of outer() without a call. */
FOLDED long wanted(long n)
{
	long per = WIDTH * (WIDTH - 1) / 2 * 3 + WIDTH;

	return WIDTH * 3 * n + per + WIDTH * 3 * (n + 4) + per + 4;
}

PROBED void *turn(void *arg)
{
	long n = (long)arg, calls = 0;

	for (; !is_over; calls++, n = n * 5 % 1000003)
		if (outer(n) != wanted(n))
			is_wrong = 1;
	return (void *)calls;
}

PROBED void child_main(long n)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (n % 4 == 1 && !pthread_create(&thread, NULL, turn, (void *)n))
		usleep(1000);
	if (n % 4 == 2 && !fork())
		_exit(outer(n) != wanted(n));
	if (n % 4 == 3)
		for (;;)
			outer(n);
	_exit(outer(n) != wanted(n));
}

PROBED pid_t begin_child(long n)
{
	pid_t child = fork();

	if (!child)
		child_main(n);
	return child;
}

PROBED void *family(void *arg)
{
	long n, status_wrong = 0;
	int status;
	pid_t child;

	for (n = (long)arg; !is_over; n++) {
		child = begin_child(n);
		if (child < 0)
			continue;
		if (n % 4 == 3) {
			usleep(2000);
			kill(child, SIGKILL);
		}
		waitpid(child, &status, 0);
		status_wrong += !WIFSIGNALED(status) && status;
	}
	if (status_wrong)
		is_wrong = 1;
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long nr = victim_number(argc, argv, 1, 8), i;
	unsigned long families = victim_number(argc, argv, 2, 1);
	pthread_t threads[MAX_THREADS];
	void *calls;
	long sum = 0;
	sigset_t stop;
	int signal;

	if (nr + families > MAX_THREADS)
		return VICTIM_USAGE;
	sigemptyset(&stop);
	sigaddset(&stop, SIGTERM);
	sigaddset(&stop, SIGINT);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	for (i = 0; i < nr + families; i++)
		if (pthread_create(&threads[i], NULL, i < nr ? turn : family, (void *)i))
			return 1;
	printf("ready %d\n", getpid());
	fflush(stdout);
	sigwait(&stop, &signal);
	is_over = 1;
	for (i = 0; i < nr + families; i++) {
		pthread_join(threads[i], &calls);
		sum += i < nr ? (long)calls : 0;
	}
	printf("calls %ld\n", sum);
	return is_wrong ? 1 : 23;
}
