// SPDX-License-Identifier: GPL-2.0
/*
 * An exception that passes through frames of C: functions of cframes_c.c, which are compiled with
 * -fexceptions, and qsort() of libc.
 */
#include "cframes.h"

#define ROUNDS 5

struct Guard {
	int *count;
	PROBED ~Guard();
};

Guard::~Guard()
{
	++*count;
}

static int guards, compared;

extern "C" PROBED int callback(int n)
{
	Guard guard{&guards};

	if (n % 2)
		throw n;
	return n * 2;
}

extern "C" PROBED int compare(const void *a, const void *b)
{
	if (++compared % 4 == 0)
		throw -1;
	return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}

PROBED int through_c(int n)
{
	try {
		return c_outer(callback, n);
	} catch (int thrown) {
		return thrown + 100;
	}
}

/* Sorting eight numbers takes more than four comparisons: the fourth one throws. */
PROBED int through_libc()
{
	int numbers[] = { 8, 7, 6, 5, 4, 3, 2, 1 };

	try {
		qsort(numbers, 8, sizeof(int), compare);
	} catch (int thrown) {
		return thrown;
	}
	return 1;
}

int main(int argc, char **argv)
{
	int i;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		printf("Guard::~Guard() %d\nc_inner %d\nc_outer %d\ncallback %d\ncompare %d\n"
		       "main 1\nthrough_c(int) %d\nthrough_libc() %d\n", ROUNDS, ROUNDS, ROUNDS,
		       ROUNDS, 4 * ROUNDS, ROUNDS, ROUNDS);
		return 0;
	case VICTIM_TREE:
		puts("main() {");
		for (i = 0; i < ROUNDS; i++) {
			printf("  through_c(int) {\n    c_outer() {\n      c_inner() {\n"
			       "        callback() {\n          Guard::~Guard();\n"
			       "        } /* callback */%s\n      } /* c_inner */%s\n"
			       "    } /* c_outer */%s\n  } /* through_c */\n",
			       i % 2 ? UNWOUND : "", i % 2 ? UNWOUND : "", i % 2 ? UNWOUND : "");
			puts("  through_libc() {\n    compare();\n    compare();\n    compare();\n"
			     "    compare();" UNWOUND "\n  } /* through_libc */");
		}
		puts("} /* main */");
		return 0;
	default:
		for (i = 0; i < ROUNDS; i++) {
			printf("through_c %d\n", through_c(i));
			printf("through_libc %d\n", through_libc());
		}
		printf("guards %d compared %d\n", guards, compared);
		return 41;
	}
}
