// SPDX-License-Identifier: GPL-2.0
/*
 * bench hot_push|hot_sub|empty [COUNT]
 *
 * Calls one small function COUNT times, or none (empty: the loop alone). The first instruction
 * matters: the kernel emulates a push, and single-steps a sub. It is written in assembler, so that
 * no compiler option changes it.
 */

#include "victim.h"

__attribute__((naked)) PROBED int hot_push(int x)
{
	asm("push %rbp\n\t"
	    "mov %rsp, %rbp\n\t"
	    "lea 1(%rdi), %eax\n\t"
	    "pop %rbp\n\t"
	    "ret");
}

__attribute__((naked)) PROBED int hot_sub(int x)
{
	asm("sub $8, %rsp\n\t"
	    "lea 1(%rdi), %eax\n\t"
	    "add $8, %rsp\n\t"
	    "ret");
}

int main(int argc, char **argv)
{
	enum victim_mode mode = victim_mode(&argc, &argv);
	const char *which = argc > 1 ? argv[1] : "";
	unsigned long count = victim_number(argc, argv, 2, 1000000), i;
	int is_empty = !strcmp(which, "empty");
	int is_push = !strcmp(which, "hot_push");
	int x = 0;
	long ns;

	if (!is_empty && !is_push && strcmp(which, "hot_sub")) {
		fputs("usage: bench hot_push|hot_sub|empty [COUNT]\n", stderr);
		return VICTIM_USAGE;
	}
	if (mode == VICTIM_COUNTS) {
		if (!is_empty && count)
			printf("%s %lu\n", which, count);
		puts("main 1");
		return 0;
	}
	if (mode == VICTIM_TREE) {
		puts(is_empty || !count ? "main();" : "main() {");
		for (i = 0; i < count && !is_empty; i++)
			printf("  %s();\n", which);
		if (!is_empty && count)
			puts("} /* main */");
		return 0;
	}
	ns = victim_ns(CLOCK_MONOTONIC);
	if (is_empty)
		for (i = 0; i < count; i++)
			asm volatile("" : "+r" (x));
	else if (is_push)
		for (i = 0; i < count; i++)
			x = hot_push(x);
	else
		for (i = 0; i < count; i++)
			x = hot_sub(x);
	ns = victim_ns(CLOCK_MONOTONIC) - ns;
	printf("mode=%s calls=%lu result=%d ns=%ld ns_per_call=%.3f\n",
	       which, count, x, ns, count ? (double)ns / count : 0.0);
	return 22;
}
