// SPDX-License-Identifier: GPL-2.0
/* _setjmp and sigsetjmp: jumps over several frames, and over none. */
#include <setjmp.h>

#include "victim.h"

#define DEEP 3

static jmp_buf plain_env;
static sigjmp_buf signal_env;

PROBED void jump(int n)
{
	if (n == 1)
		longjmp(plain_env, 41);
	if (n == 2)
		siglongjmp(signal_env, 42);
}

PROBED int dive(int depth, int n)
{
	if (depth > 1)
		return dive(depth - 1, n) + 1;
	jump(n);
	return 1;
}

PROBED int after(int n)
{
	return n * 2;
}

PROBED int with_setjmp(int n)
{
	int landed = _setjmp(plain_env);

	if (landed)
		return after(landed) + 1;
	return dive(DEEP, n);
}

PROBED int with_sigsetjmp(int n)
{
	int landed = sigsetjmp(signal_env, 1);

	if (landed)
		return after(landed) + 1;
	return dive(DEEP, n);
}

#define DIVE(end)						\
	"    dive() {\n      dive() {\n        dive() {\n"	\
	"          jump();" end "\n"				\
	"        } /* dive */" end "\n"				\
	"      } /* dive */" end "\n"				\
	"    } /* dive */" end "\n"

int main(int argc, char **argv)
{
	volatile int landed;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		puts("after 2\ndive 12\njump 5\nmain 1\nwith_setjmp 2\nwith_sigsetjmp 2");
		return 0;
	case VICTIM_TREE:
		puts("main() {\n"
		     "  with_setjmp() {\n" DIVE("") "  } /* with_setjmp */\n"
		     "  with_setjmp() {\n" DIVE(UNWOUND) "    after();\n  } /* with_setjmp */\n"
		     "  with_sigsetjmp() {\n" DIVE("") "  } /* with_sigsetjmp */\n"
		     "  with_sigsetjmp() {\n" DIVE(UNWOUND) "    after();\n  } /* with_sigsetjmp */\n"
		     "  jump();" UNWOUND "\n"
		     "} /* main */");
		return 0;
	default:
		printf("setjmp %d\n", with_setjmp(0));
		printf("setjmp %d\n", with_setjmp(1));
		printf("sigsetjmp %d\n", with_sigsetjmp(0));
		printf("sigsetjmp %d\n", with_sigsetjmp(2));
		landed = _setjmp(plain_env);
		if (!landed)
			jump(1);
		printf("main %d\n", landed);
		return 14;
	}
}
