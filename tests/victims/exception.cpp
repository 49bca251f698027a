// SPDX-License-Identifier: GPL-2.0
/*
 * Exceptions through frames with and without a destructor, caught, thrown again, caught again. The
 * same path is also taken without an exception.
 */
#include "victim.h"

#define ROUNDS 3

struct Oops {
	int code;
};

struct Guard {
	int *count;
	PROBED ~Guard();
};

Guard::~Guard()
{
	++*count;
}

static int guards;

PROBED int thrower(int n)
{
	if (n % 2 == 0)
		throw Oops{n};
	return n * 3;
}

PROBED int plain(int n)
{
	return thrower(n) + 1;
}

PROBED int guarded(int n)
{
	Guard guard{&guards};

	return plain(n) + 1;
}

PROBED void note(int n)
{
	printf("caught %d\n", n);
}

PROBED int again(int n)
{
	try {
		return guarded(n) + 1;
	} catch (const Oops &oops) {
		note(oops.code);
		throw;
	}
}

PROBED int between(int n)
{
	return again(n) + 1;
}

PROBED int attempt(int n)
{
	try {
		return between(n) + 1;
	} catch (const Oops &oops) {
		note(-oops.code);
		return oops.code + 100;
	}
}

int main(int argc, char **argv)
{
	int i;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		/* rounds 0 and 2 throw, round 1 returns */
		printf("Guard::~Guard() 3\nagain(int) 3\nattempt(int) 3\nbetween(int) 3\n"
		       "guarded(int) 3\nmain 1\nnote(int) 4\nplain(int) 3\nthrower(int) 3\n");
		return 0;
	case VICTIM_TREE:
		puts("main() {");
		for (i = 0; i < ROUNDS; i++) {
			puts("  attempt(int) {\n"
			     "    between(int) {\n"
			     "      again(int) {\n"
			     "        guarded(int) {\n"
			     "          plain(int) {");
			if (i % 2 == 0)
				puts("            thrower(int);" UNWOUND "\n"
				     "          } /* plain */" UNWOUND "\n"
				     "          Guard::~Guard();\n"
				     "        } /* guarded */" UNWOUND "\n"
				     "        note(int);\n"
				     "      } /* again */" UNWOUND "\n"
				     "    } /* between */" UNWOUND "\n"
				     "    note(int);");
			else
				puts("            thrower(int);\n"
				     "          } /* plain */\n"
				     "          Guard::~Guard();\n"
				     "        } /* guarded */\n"
				     "      } /* again */\n"
				     "    } /* between */");
			puts("  } /* attempt */");
		}
		puts("} /* main */");
		return 0;
	default:
		for (i = 0; i < ROUNDS; i++)
			printf("attempt %d\n", attempt(i));
		printf("guards %d\n", guards);
		return 13;
	}
}
