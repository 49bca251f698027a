// SPDX-License-Identifier: GPL-2.0
/* huge: calls each of its hundred thousand functions, which huge.awk has written, once. */
#include "victim.h"

extern unsigned int (*const huge_functions[])(unsigned int);
extern const unsigned long huge_nr;

int main(int argc, char **argv)
{
	enum victim_mode mode = victim_mode(&argc, &argv);
	unsigned int sum = 1;
	unsigned long i;

	if (mode == VICTIM_COUNTS) {
		for (i = 0; i < huge_nr; i++)
			printf("h%05lu 1\n", i);
		puts("main 1");
		return 0;
	}
	for (i = 0; i < huge_nr; i++)
		sum += huge_functions[i](sum);
	printf("sum %u\n", sum);
	return 21;
}
