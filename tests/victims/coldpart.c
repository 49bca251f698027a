// SPDX-License-Identifier: GPL-2.0
/*
 * Functions with a part in .text.unlikely that is entered and left: by a jump back, by a ret of its
 * own, or by a tail jump of its own. The build checks that returns_inside.cold and the others
 * exist.
 */
#include "victim.h"

#define ROUNDS 10

static volatile int troubles;

__attribute__((cold)) PROBED int trouble(int n)
{
	troubles++;
	return n * 100;
}

PROBED int usual(int n)
{
	return n + 1;
}

PROBED int jumps_back(int n)
{
	int extra = 0;

	if (__builtin_expect(n % 3 == 0, 0)) {
		extra = trouble(n);
		extra += trouble(extra);
	}
	return usual(n) + extra;
}

PROBED int returns_inside(int n)
{
	int sum = usual(n);

	if (__builtin_expect(n % 4 == 0, 0)) {
		sum += trouble(n);
		troubles++;
		return sum - 3;
	}
	return sum * usual(sum);
}

PROBED int jumps_away(int n)
{
	if (__builtin_expect(n % 5 == 0, 0)) {
		troubles += 2;
		return trouble(n);
	}
	return n - 1;
}

int main(int argc, char **argv)
{
	int i;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		/* 0 3 6 9, 0 4 8, 0 5 */
		printf("jumps_away %d\njumps_back %d\nmain 1\nreturns_inside %d\n"
		       "trouble %d\nusual %d\n",
		       ROUNDS, ROUNDS, ROUNDS, 4 * 2 + 3 + 2, ROUNDS + ROUNDS + 7);
		return 0;
	case VICTIM_TREE:
		puts("main() {");
		for (i = 0; i < ROUNDS; i++)
			printf("  jumps_back() {\n%s    usual();\n  } /* jumps_back */\n"
			       "  returns_inside() {\n    usual();\n%s  } /* returns_inside */\n"
			       "  jumps_away()%s",
			       i % 3 ? "" : "    trouble();\n    trouble();\n",
			       i % 4 ? "    usual();\n" : "    trouble();\n",
			       i % 5 ? ";\n" :
			       " {\n    trouble();\n  } /* jumps_away */\n");
		puts("} /* main */");
		return 0;
	default:
		for (i = 0; i < ROUNDS; i++) {
			int back = jumps_back(i), inside = returns_inside(i);

			printf("%d %d %d\n", back, inside, jumps_away(i));
		}
		printf("troubles %d\n", troubles);
		return 18;
	}
}
