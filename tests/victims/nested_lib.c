// SPDX-License-Identifier: GPL-2.0
/* The library of nested.c: it calls its own functions, exported or not, and the program's. */
#include "nested.h"
#include "victim.h"

PROBED static int lib_inner(int x)
{
	return x * 2;
}

PROBED int lib_leaf(int x)
{
	return x - 1;
}

PROBED int lib_outer(int x, int (*back)(int))
{
	int i, sum = lib_leaf(x);

	for (i = 0; i < NESTED_INNER; i++)
		sum += lib_inner(back(x + i));
	return sum;
}
