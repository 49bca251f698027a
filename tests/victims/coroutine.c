// SPDX-License-Identifier: GPL-2.0
/* Two coroutines that switch to each other while their calls are open. */
#include <ucontext.h>

#include "victim.h"

#define STEPS 4

static ucontext_t home, left, right;
static char stack[2][65536];
static int sum;

PROBED int work(int n)
{
	return n * 2 + 1;
}

PROBED void hand_over(ucontext_t *from, ucontext_t *to)
{
	swapcontext(from, to);
	sum++;
}

PROBED void left_step(int n)
{
	sum += work(n);
	hand_over(&left, &right);
	sum += work(n + 1);
}

PROBED void right_step(int n)
{
	sum += 3 * work(n);
	hand_over(&right, &left);
}

PROBED void left_main(void)
{
	int i;

	for (i = 0; i < STEPS; i++)
		left_step(i);
}

PROBED void right_main(void)
{
	int i;

	for (i = 0; i < STEPS; i++)
		right_step(i);
}

int main(int argc, char **argv)
{
	int i;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		/* left ends after its last step: right's last hand_over stays open */
		printf("hand_over %d\nleft_main 1\nleft_step %d\nmain 1\nright_main 1\n"
		       "right_step %d\nwork %d\n", 2 * STEPS, STEPS, STEPS, 3 * STEPS);
		return 0;
	case VICTIM_TREE:
		puts("main();\n\nleft_main() {");
		for (i = 0; i < STEPS; i++)
			puts("  left_step() {\n    work();\n    hand_over();\n"
			     "    work();\n  } /* left_step */");
		puts("} /* left_main */\n\nright_main() {");
		for (i = 0; i < STEPS; i++)
			printf("  right_step() {\n    work();\n    hand_over();%s\n"
			       "  } /* right_step */%s\n",
			       i == STEPS - 1 ? UNWOUND : "", i == STEPS - 1 ? UNWOUND : "");
		puts("} /* right_main */" UNWOUND);
		return 0;
	default:
		getcontext(&left);
		left.uc_stack.ss_sp = stack[0];
		left.uc_stack.ss_size = sizeof(stack[0]);
		left.uc_link = &home;
		makecontext(&left, left_main, 0);
		getcontext(&right);
		right.uc_stack.ss_sp = stack[1];
		right.uc_stack.ss_size = sizeof(stack[1]);
		right.uc_link = &home;
		makecontext(&right, right_main, 0);
		swapcontext(&home, &left);
		printf("sum %d\n", sum);
		return 15;
	}
}
