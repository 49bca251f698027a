// SPDX-License-Identifier: GPL-2.0
/*
 * chosen [wait]: calls functions whose code libc and libm choose at start (IFUNC). The kernel's vDSO
 * has the code of time(). With wait, it calls them again after a line of input.
 */
#include <math.h>
#include <unistd.h>

#include "victim.h"

PROBED size_t measure(const char *text)
{
	return strlen(text);
}

PROBED void copy(char *to, const char *from, size_t len)
{
	memcpy(to, from, len);
}

PROBED size_t angle(size_t n)
{
	return floor(100 * sin(n)) + (time(NULL) < 0);
}

FOLDED size_t round_of_calls(const char *text)
{
	size_t sum = angle(1) + angle(2);
	char to[64];
	int i;

	for (i = 0; i < 7; i++)
		sum += measure(text + i);
	for (i = 0; i < 5; i++)
		copy(to, text, 3 + i);
	return sum + to[0];
}

int main(int argc, char **argv)
{
	enum victim_mode mode = victim_mode(&argc, &argv);
	size_t sum;

	if (mode == VICTIM_COUNTS) {
		puts("angle 2\ncopy 5\nmain 1\nmeasure 7");
		return 0;
	}
	sum = round_of_calls("a text of some length");
	if (argc > 1) {
		printf("ready %d\n", (int)getpid());
		fflush(stdout);
		getchar();
		sum += round_of_calls("a text of another length");
	}
	printf("sum %zu\n", sum);
	return 21;
}
