// SPDX-License-Identifier: GPL-2.0
/*
 * leftbehind [STEPS]: ends with status 5 while its child goes on. The child makes its calls after
 * the parent has ended. Each process prints when it begins and ends (ns, CLOCK_MONOTONIC).
 */
#include <unistd.h>

#include "victim.h"

PROBED int step(void)
{
	return usleep(2000);
}

/* The pipe has no writer once the parent has ended. */
PROBED void outlive(int fd)
{
	char byte;

	while (read(fd, &byte, 1) > 0)
		;
}

FOLDED void say(const char *what)
{
	printf("%s %llu\n", what, victim_ns(CLOCK_MONOTONIC));
	fflush(stdout);
}

int main(int argc, char **argv)
{
	enum victim_mode mode = victim_mode(&argc, &argv);
	unsigned long steps = victim_number(argc, argv, 1, 300), i;
	int fds[2];

	if (mode == VICTIM_COUNTS) {
		printf("main 1\noutlive 1\nstep %lu\n", steps);
		return 0;
	}
	if (mode == VICTIM_TREE || pipe(fds))
		return VICTIM_USAGE;
	say("parent begins");
	if (fork()) {
		say("parent ends");
		_exit(5);
	}
	close(fds[1]);
	setsid();
	outlive(fds[0]);
	for (i = 0; i < steps; i++)
		step();
	say("child ends");
	return 0;
}
