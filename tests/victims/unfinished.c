// SPDX-License-Identifier: GPL-2.0
/*
 * unfinished exit|exec|kill|stay: main calls once(), and then work(), which calls no other probed
 * function. After 50 ms work() ends the process without a return, or executes "unfinished done", or
 * prints "50 ms" and goes on until it is killed.
 */
#include <signal.h>
#include <unistd.h>

#include "victim.h"

#define WORK_NS 50000000ULL

static volatile unsigned long n;

PROBED void once(void)
{
	n++;
}

PROBED void work(const char *end)
{
	unsigned long long from = victim_ns(CLOCK_MONOTONIC);

	while (victim_ns(CLOCK_MONOTONIC) - from < WORK_NS)
		n++;
	if (!strcmp(end, "exit"))
		_exit(3);
	if (!strcmp(end, "exec"))
		execl("/proc/self/exe", "unfinished", "done", (char *)NULL);
	if (!strcmp(end, "kill"))
		kill(getpid(), SIGKILL);
	puts("50 ms");
	fflush(stdout);
	for (;;)
		n++;
}

int main(int argc, char **argv)
{
	if (victim_mode(&argc, &argv) != VICTIM_RUN || argc != 2)
		return VICTIM_USAGE;
	if (!strcmp(argv[1], "done"))
		return 3;
	once();
	work(argv[1]);
	return 0;
}
