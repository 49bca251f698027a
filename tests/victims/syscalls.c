// SPDX-License-Identifier: GPL-2.0
/*
 * syscalls [THREADS [CALLS]]   makes a known number of calls in each thread, and in a child
 * syscalls live THREADS        executes lines of input, and prints "done" after each:
 *                              "CALLS": this many calls of getppid in each thread
 * syscalls null CALLS          prints ns_per_call= of getppid
 *
 * Calls are made by number, because the C library may change a call.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

static unsigned long nr_calls;

/* CALLS of getppid and of umask, half as many failing reads, a tenth as many failing opens. */
static void *work(void *arg)
{
	unsigned long i;

	for (i = 0; i < nr_calls; i++) {
		syscall(SYS_getppid);
		syscall(SYS_umask, 022);
		if (i % 2)
			syscall(SYS_read, -1, NULL, 1);
		if (!(i % 10))
			syscall(SYS_open, i % 20 ? "/" : "/no/such/file", O_WRONLY);
		if (!(i % 5))
			syscall(4000 + i % 2);
	}
	return arg;
}

static int mix(unsigned long nr_threads)
{
	pthread_t threads[nr_threads];
	unsigned long i;
	int status;
	pid_t child;

	for (i = 0; i < nr_threads; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	child = fork();
	if (!child) {
		work(NULL);
		syscall(SYS_exit_group, 3);
	}
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

/* --- on command ----------------------------------------------------------- */

static pthread_barrier_t begin, end;

static void *obey(void *arg)
{
	unsigned long i;

	for (;;) {
		pthread_barrier_wait(&begin);
		for (i = 0; i < nr_calls; i++)
			syscall(SYS_getppid);
		pthread_barrier_wait(&end);
	}
	return arg;
}

static int live(unsigned long nr_threads)
{
	unsigned long i;
	char line[64];
	pthread_t thread;

	pthread_barrier_init(&begin, NULL, nr_threads + 1);
	pthread_barrier_init(&end, NULL, nr_threads + 1);
	for (i = 0; i < nr_threads; i++)
		pthread_create(&thread, NULL, obey, NULL);
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		nr_calls = strtoul(line, NULL, 10);
		pthread_barrier_wait(&begin);
		pthread_barrier_wait(&end);
		puts("done");
		fflush(stdout);
	}
	return 0;
}

/* --- cost ------------------------------------------------------------------- */

static int measure(unsigned long calls)
{
	unsigned long i;
	long ns = victim_ns(CLOCK_MONOTONIC);

	for (i = 0; i < calls; i++)
		syscall(SYS_getppid);
	ns = victim_ns(CLOCK_MONOTONIC) - ns;
	printf("calls=%lu ns_per_call=%.3f\n", calls, calls ? (double)ns / calls : 0.0);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "live"))
		return live(victim_number(argc, argv, 2, 1));
	if (!strcmp(what, "null"))
		return measure(victim_number(argc, argv, 2, 100000));
	nr_calls = victim_number(argc, argv, 2, 1000);
	return mix(victim_number(argc, argv, 1, 8));
}
