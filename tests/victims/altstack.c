// SPDX-License-Identifier: GPL-2.0
/* A signal handler on a stack of its own calls probed functions, while calls are open. */
#include <signal.h>

#include "victim.h"

#define ROUNDS 5

static char stack[65536];
static volatile int handled;

PROBED int leaf(int n)
{
	return n + 2;
}

PROBED int handle(int n)
{
	return leaf(n) * leaf(n + 1);
}

PROBED void on_signal(int sig)
{
	handled += handle(sig == SIGUSR1);
}

PROBED int interrupted(int n)
{
	int before = leaf(n);

	raise(SIGUSR1);
	return before + leaf(n + 1);
}

PROBED int outer(int n)
{
	return interrupted(n) + 1;
}

int main(int argc, char **argv)
{
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	int i, sum = 0;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		printf("handle %d\ninterrupted %d\nleaf %d\nmain 1\non_signal %d\nouter %d\n",
		       ROUNDS, ROUNDS, 4 * ROUNDS, ROUNDS, ROUNDS);
		return 0;
	case VICTIM_TREE:
		puts("main() {");
		for (i = 0; i < ROUNDS; i++)
			puts("  outer() {\n    interrupted() {\n      leaf();\n      leaf();\n"
			     "    } /* interrupted */\n  } /* outer */");
		puts("} /* main */\n");
		for (i = 0; i < ROUNDS; i++)
			puts("on_signal() {\n  handle() {\n    leaf();\n    leaf();\n"
			     "  } /* handle */\n} /* on_signal */");
		return 0;
	default:
		if (sigaltstack(&alternate, NULL) || sigaction(SIGUSR1, &action, NULL))
			return 1;
		for (i = 0; i < ROUNDS; i++)
			sum += outer(i);
		printf("sum %d handled %d\n", sum, handled);
		return 16;
	}
}
