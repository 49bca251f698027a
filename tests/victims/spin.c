// SPDX-License-Identifier: GPL-2.0
/*
 * spin [SECONDS [PAUSE_US]]: calls tick() until SIGTERM or SIGINT, or for SECONDS (10), with
 * PAUSE_US (1000) between two calls. Prints "ready PID" first and "ticks COUNT" last. It has no
 * signal handler, which would be a function to trace.
 */
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "victim.h"

PROBED unsigned long tick(unsigned long n)
{
	return n + 1;
}

FOLDED long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000L + now.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	enum victim_mode mode = victim_mode(&argc, &argv);
	long end_ms = now_ms() + 1000 * (long)victim_number(argc, argv, 1, 10);
	unsigned long pause_us = victim_number(argc, argv, 2, 1000), ticks = 0;
	struct timespec pause = { pause_us / 1000000, pause_us % 1000000 * 1000 };
	sigset_t stop;

	if (mode != VICTIM_RUN) {
		fputs("spin: how often depends on time: compare with its last line\n", stderr);
		return VICTIM_USAGE;
	}
	sigemptyset(&stop);
	sigaddset(&stop, SIGTERM);
	sigaddset(&stop, SIGINT);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	printf("ready %d\n", getpid());
	fflush(stdout);
	do
		ticks = tick(ticks);
	while (sigtimedwait(&stop, NULL, &pause) < 0 && now_ms() < end_ms);
	printf("ticks %lu\n", ticks);
	return 23;
}
