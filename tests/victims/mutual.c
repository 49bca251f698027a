// SPDX-License-Identifier: GPL-2.0
/* Two functions that call each other several times each, and a ring of three. */
#include "victim.h"

#define LAST 28
#define TURNS 60

PROBED int male(int n);

PROBED int female(int n)
{
	return n ? n - male(female(n - 1)) : 1;
}

PROBED int male(int n)
{
	return n ? n - female(male(n - 1)) : 0;
}

PROBED int second(int n);

PROBED int first(int n)
{
	return n ? 1 + second(n - 1) : 0;
}

PROBED int third(int n)
{
	return n ? 3 + first(n - 1) : 0;
}

PROBED int second(int n)
{
	return n ? 2 + third(n - 1) : 0;
}

/* The result of one call of female(n) or male(n), and the calls that it makes. */
struct one {
	int value;
	unsigned long females, males;
};

static struct one f[LAST + 1], m[LAST + 1];

FOLDED void count(void)
{
	int n, inner;

	f[0] = (struct one){ 1, 1, 0 };
	m[0] = (struct one){ 0, 0, 1 };
	for (n = 1; n <= LAST; n++) {
		inner = m[n - 1].value;
		m[n].value = n - f[inner].value;
		m[n].females = m[n - 1].females + f[inner].females;
		m[n].males = 1 + m[n - 1].males + f[inner].males;
		inner = f[n - 1].value;
		f[n].value = n - m[inner].value;
		f[n].females = 1 + f[n - 1].females + m[inner].females;
		f[n].males = f[n - 1].males + m[inner].males;
	}
}

int main(int argc, char **argv)
{
	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		count();
		printf("female %lu\nfirst %d\nmain 1\nmale %lu\nsecond %d\nthird %d\n",
		       f[LAST].females + m[LAST].females, TURNS / 3 + 1,
		       f[LAST].males + m[LAST].males, TURNS / 3, TURNS / 3);
		return 0;
	case VICTIM_TREE:
		return VICTIM_USAGE;
	default:
		printf("female %d male %d first %d\n", female(LAST), male(LAST), first(TURNS));
		return 40;
	}
}
