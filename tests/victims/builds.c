// SPDX-License-Identifier: GPL-2.0
/*
 * One source for many options of compilers: however they change these functions, each is called as
 * often as the source says.
 */
#include <alloca.h>
#include <stdarg.h>

#include "victim.h"

#define ROUNDS 12

struct big {
	long numbers[20];
};

PROBED int leaf(int n)
{
	return n * 3 + 1;
}

/* Recursion through another function, so that no compiler makes a loop of it. */
PROBED int recursive(int n);

PROBED int deeper(int n)
{
	return recursive(n - 1);
}

PROBED int recursive(int n)
{
	return n ? leaf(n) + deeper(n) : 0;
}

PROBED int tail(int n);

PROBED int further(int n)
{
	return tail(n - 3);
}

PROBED int tail(int n)
{
	if (n < 4)
		return leaf(n);
	return further(n);
}

PROBED int by_table(int op, int n)
{
	switch (op) {
	case 0: return leaf(n);
	case 1: return n - 7;
	case 2: return leaf(n) ^ leaf(n + 1);
	case 3: return n * n;
	case 4: return 100 / (n | 1);
	case 5: return leaf(n + 5);
	case 6: return n << 2;
	case 7: return tail(1);
	default: return -1;
	}
}

PROBED int by_goto(const unsigned char *code, int n)
{
	static const void *const labels[] = { &&stop, &&add, &&twice, &&call, &&negate };

	goto *labels[*code++];
add:
	n += 5;
	goto *labels[*code++];
twice:
	n *= 2;
	goto *labels[*code++];
call:
	n = leaf(n);
	goto *labels[*code++];
negate:
	n = -n;
	goto *labels[*code++];
stop:
	return n;
}

static int (*volatile pointer[])(int) = { leaf, recursive, tail };

PROBED int by_pointer(int which, int n)
{
	return pointer[which](n);
}

PROBED int on_the_stack(int n)
{
	volatile char *room = alloca(n * 64 + 32);

	room[n] = leaf(n);
	return room[n];
}

PROBED struct big filled(int n)
{
	struct big big = { { n, leaf(n), n + 2 } };

	return big;
}

PROBED int variadic(int n, ...)
{
	int sum = 0;
	va_list list;

	va_start(list, n);
	while (n--)
		sum += va_arg(list, int);
	va_end(list);
	return sum;
}

PROBED double floating(double x)
{
	return x > 2 ? x / 2 + leaf(1) : x;
}

int main(int argc, char **argv)
{
	static const unsigned char code[] = { 1, 2, 3, 4, 2, 3, 1, 0 };
	int i, sum = 0;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		/*
		 * tail: 1 for n < 4, 2 up to 6, 3 up to 9, 4 up to 12, once more by its pointer
		 * every third round, and for case 7
		 * leaf: recursive (n), tail (1), the table (5 and 1 by tail), goto (2),
		 * the pointer (1, n, 1), the stack, big, floating from the third on
		 */
		printf("by_goto %d\nby_pointer %d\nby_table %d\ndeeper %d\nfilled %d\nfloating %d\nfurther %d\n"
		       "leaf %d\nmain 1\non_the_stack %d\nrecursive %d\ntail %d\nvariadic %d\n",
		       ROUNDS, ROUNDS, ROUNDS * 9, 66 + 22, ROUNDS, ROUNDS, 15 + 6,
		       66 + ROUNDS + ROUNDS * 5 + ROUNDS * 2 + 4 + 22 + 4 + 2 * ROUNDS + ROUNDS - 3,
		       ROUNDS, 78 + 26, 27 + ROUNDS + 10, ROUNDS);
		return 0;
	case VICTIM_TREE:
		return VICTIM_USAGE;
	default:
		for (i = 0; i < ROUNDS; i++) {
			int op;

			sum += recursive(i) + tail(i) + by_goto(code, i) + by_pointer(i % 3, i);
			for (op = 0; op < 9; op++)
				sum += by_table(op, i);
			sum += on_the_stack(i) + (int)filled(i).numbers[1] +
			       variadic(4, i, i, i, i) + (int)floating(i);
		}
		printf("sum %d\n", sum);
		return 48;
	}
}
