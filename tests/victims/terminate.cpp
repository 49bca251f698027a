// SPDX-License-Identifier: GPL-2.0
/*
 * An exception without a handler: std::terminate() and SIGABRT, while the calls are open. With
 * NOEXCEPT it reaches a frame that lets no exception pass, and the program has its own handler for
 * std::terminate().
 */
#include <exception>

#include "victim.h"

#ifdef NOEXCEPT
#define WALL noexcept
#else
#define WALL
#endif

struct Guard {
	PROBED ~Guard();
};

Guard::~Guard()
{
	fputs("guard\n", stdout);
	fflush(stdout);
}

PROBED int thrower(int n)
{
	if (n == 2)
		throw n;
	return n + 1;
}

PROBED int guarded(int n)
{
	Guard guard;

	return thrower(n) * 2;
}

PROBED int wall(int n) WALL
{
	return guarded(n) + 1;
}

PROBED void last_words()
{
	fputs("terminated\n", stdout);
	fflush(stdout);
	abort();
}

int main(int argc, char **argv)
{
	int i, sum = 0;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		/*
		 * guards of rounds 0 and 1; the last one's only if the search for a handler ended
		 */
#ifdef NOEXCEPT
		printf("Guard::~Guard() 3\nguarded(int) 3\nlast_words() 1\nmain 1\n"
		       "thrower(int) 3\nwall(int) 3\n");
#else
		printf("Guard::~Guard() 2\nguarded(int) 3\nmain 1\nthrower(int) 3\nwall(int) 3\n");
#endif
		return 0;
	case VICTIM_TREE:
		return VICTIM_USAGE;
	default:
#ifdef NOEXCEPT
		std::set_terminate(last_words);
#endif
		for (i = 0; i < 4; i++)
			sum += wall(i);
		return sum;
	}
}
