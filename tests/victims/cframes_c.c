// SPDX-License-Identifier: GPL-2.0
/* The C half of cframes: frames that a C++ exception passes through. */
#include "cframes.h"

PROBED int c_inner(int (*call)(int), int n)
{
	return call(n) + 1;
}

PROBED int c_outer(int (*call)(int), int n)
{
	return c_inner(call, n) + 1;
}
