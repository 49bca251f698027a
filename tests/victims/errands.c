// SPDX-License-Identifier: GPL-2.0
/*
 * errands: prints "ready", then executes lines of input, and prints "done" after each:
 * "PAGES CALLS FAILED ROUNDS FORKS MOVES": touches so many new pages, makes so many calls of getppid
 * and of read with an error, passes a byte to its second thread and back ROUNDS times, starts FORKS
 * processes one after the other, each of which touches PAGES pages, and moves MOVES times to the
 * other one of two CPUs.
 *
 * System calls that return: CALLS + FAILED + 4 * ROUNDS - 1 (the second thread's first read began
 * before) + 2 if it touches pages + FORKS * (2, and 2 of the child if it touches pages) + MOVES + 1.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

#define PAGE 4096UL

static int to[2], back[2];

/* Ends the process if a call fails. */
static void check(long result)
{
	if (result < 0)
		_exit(1);
}

static void *answer(void *arg)
{
	char byte;

	while (read(to[0], &byte, 1) == 1)
		check(write(back[1], &byte, 1));
	return arg;
}

static void touch(unsigned long nr)
{
	volatile char *pages;
	unsigned long i;

	if (!nr)
		return;
	pages = mmap(NULL, nr * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (i = 0; i < nr; i++)
		pages[i * PAGE] = 1;
	munmap((void *)pages, nr * PAGE);
}

/* The C library's fork() makes further calls. */
static void start_process(unsigned long pages)
{
	pid_t pid = syscall(SYS_fork);

	if (!pid) {
		touch(pages);
		syscall(SYS_exit_group, 0);
	}
	check(syscall(SYS_wait4, pid, NULL, 0, NULL));
}

static void move(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	check(sched_setaffinity(0, sizeof(set), &set));
}

static void work(const unsigned long *nr)
{
	unsigned long i;
	char byte = 'x';

	touch(nr[0]);
	for (i = 0; i < nr[1]; i++)
		syscall(SYS_getppid);
	for (i = 0; i < nr[2]; i++)
		syscall(SYS_read, -1, &byte, 1);
	for (i = 0; i < nr[3]; i++) {
		check(write(to[1], &byte, 1));
		check(read(back[0], &byte, 1));
	}
	for (i = 0; i < nr[4]; i++)
		start_process(nr[0]);
	for (i = 0; i < nr[5]; i++)
		move((i + 1) % 2);
}

int main(void)
{
	char line[256], *at;
	unsigned long nr[6];
	pthread_t thread;
	ssize_t len;
	int i;

	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	check(pipe(to));
	check(pipe(back));
	check(-pthread_create(&thread, NULL, answer, NULL));
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
		move(0);
	check(write(STDOUT_FILENO, "ready\n", 6));
	while ((len = read(STDIN_FILENO, line, sizeof(line) - 1)) > 0) {
		line[len] = 0;
		for (i = 0, at = line; i < 6; i++)
			nr[i] = strtoul(at, &at, 10);
		work(nr);
		check(write(STDOUT_FILENO, "done\n", 5));
	}
	return 0;
}
