// SPDX-License-Identifier: GPL-2.0
/*
 * Calls inside each other by recursion, tail jump and exception, for sessions that show only calls
 * inside of a function, or only the others. The tests contain the trees.
 */
#include "victim.h"

extern "C" {

PROBED int leaf(int n)
{
	return n + 1;
}

PROBED int middle(int n);

PROBED int gate(int n)
{
	int sum = leaf(n);

	if (n > 1)
		sum += middle(n - 1);
	return sum * 2;
}

PROBED int middle(int n)
{
	return gate(n) + leaf(n) * 3;
}

/* Its symbol ends before its return, so the return is not known. */
int runs_on(int n);
__asm__(".pushsection .text\n"
	".globl runs_on\n"
	".type runs_on, @function\n"
	"runs_on:\n"
	"	lea 1(%rdi), %eax\n"
	".size runs_on, . - runs_on\n"
	"	ret\n"
	".popsection\n");

/* Its first instruction is the head of a loop, and it makes calls: it is not probed. */
int no_entry(int n);
__asm__(".pushsection .text\n"
	".globl no_entry\n"
	".type no_entry, @function\n"
	"no_entry:\n"
	"	subl $1, %edi\n"
	"	jg no_entry\n"
	"	lea 1(%rdi), %eax\n"
	"	ret\n"
	"	call leaf\n"
	"	ret\n"
	".size no_entry, . - no_entry\n"
	".popsection\n");

PROBED int mute(int n)
{
	return leaf(n) + runs_on(n) + gate(n) * 5;
}

PROBED int leaves_by_jump(int n)
{
	return leaf(n);
}

PROBED int enters_by_jump(int n)
{
	return gate(n);
}

PROBED int throws(int n)
{
	if (leaf(n) > 0)
		throw n;
	return n;
}

PROBED int through(int n)
{
	return throws(n) + leaf(n);
}

PROBED int catches(int n)
{
	int result;

	try {
		result = through(n) + 1;
	} catch (int caught) {
		result = leaf(caught) + 2;
	}
	return result * 7;
}

}

int main(int argc, char **argv)
{
	int sum;

	if (victim_mode(&argc, &argv) != VICTIM_RUN)
		return VICTIM_USAGE;
	sum = leaf(1) + gate(2) + mute(1) + leaves_by_jump(3) + enters_by_jump(1);
	sum += no_entry(1) + catches(5);
	printf("%d\n", sum + leaf(9));
	return 17;
}
