// SPDX-License-Identifier: GPL-2.0
/* All ways to leave a function by a jump instead of a ret. */
#include "victim.h"

#define TURNS 1000

PROBED int target(int x)
{
	return x + 1;
}

PROBED int other(int x)
{
	return x * 3;
}

PROBED int direct(int x)
{
	return target(x * 2);
}

PROBED int chain(int x)
{
	return direct(x + 5);
}

/* Leaves by a jump, or by its own ret. */
PROBED int sometimes(int x)
{
	if (x > 10)
		return target(x);
	return x - 1;
}

/* Leaves by a conditional jump, which some compilers use. */
int conditional(int x);
asm(".pushsection .text\n"
    ".globl conditional\n"
    ".type conditional, @function\n"
    "conditional:\n"
    "	cmpl $10, %edi\n"
    "	jg target\n"
    "	leal -1(%rdi), %eax\n"
    "	ret\n"
    ".size conditional, . - conditional\n"
    ".popsection\n");

static int (*volatile pointer[2])(int) = { target, other };

PROBED int indirect(unsigned int which, int x)
{
	return pointer[which % 2](x);
}

/* The jump through its table stays inside; some cases then leave by a jump. */
PROBED int jumptable(int op, int x)
{
	switch (op) {
	case 0: return target(x);
	case 1: return x ^ 0x55;
	case 2: return other(x);
	case 3: return x * x - 4;
	case 4: return x << 3;
	case 5: return pointer[1](x);
	case 6: return 1000 / (x | 1);
	case 7: return x * 7 + (x >> 2);
	default: return -1;
	}
}

PROBED int pong(int n, int sum);

PROBED int ping(int n, int sum)
{
	return n ? pong(n - 1, sum + 1) : sum;
}

PROBED int pong(int n, int sum)
{
	return n ? ping(n - 1, sum + 2) : sum;
}

/* Jumps into another file. */
PROBED int imported(const char *text)
{
	return puts(text);
}

int main(int argc, char **argv)
{
	int i;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		printf("chain 1\nconditional 2\ndirect 2\nimported 1\nindirect 2\n"
		       "jumptable 9\nmain 1\nother 3\nping %d\npong %d\n"
		       "sometimes 2\ntarget 6\n", TURNS / 2 + 1, TURNS / 2);
		return 0;
	case VICTIM_TREE:
		puts("main() {\n"
		     "  direct() {\n    target();\n  } /* direct */\n"
		     "  chain() {\n    direct() {\n      target();\n    } /* direct */\n"
		     "  } /* chain */\n"
		     "  sometimes();\n"
		     "  sometimes() {\n    target();\n  } /* sometimes */\n"
		     "  conditional();\n"
		     "  conditional() {\n    target();\n  } /* conditional */\n"
		     "  indirect() {\n    target();\n  } /* indirect */\n"
		     "  indirect() {\n    other();\n  } /* indirect */\n"
		     "  jumptable() {\n    target();\n  } /* jumptable */\n"
		     "  jumptable();\n"
		     "  jumptable() {\n    other();\n  } /* jumptable */\n"
		     "  jumptable();\n  jumptable();\n"
		     "  jumptable() {\n    other();\n  } /* jumptable */\n"
		     "  jumptable();\n  jumptable();\n  jumptable();");
		/* A function that is jumped to again is shown as a turn of a loop. */
		for (i = 0; i < TURNS / 2; i++)
			puts("  ping() {\n    pong();\n  } /* ping */");
		puts("  ping();");
		puts("  imported(); /* at most */\n} /* main */");
		return 0;
	default:
		printf("direct %d\n", direct(4));
		printf("chain %d\n", chain(4));
		printf("sometimes %d\n", sometimes(3));
		printf("sometimes %d\n", sometimes(30));
		printf("conditional %d\n", conditional(3));
		printf("conditional %d\n", conditional(30));
		printf("indirect %d\n", indirect(0, 9));
		printf("indirect %d\n", indirect(1, 9));
		for (i = 0; i < 9; i++)
			printf("jumptable %d\n", jumptable(i, 21));
		printf("ping %d\n", ping(TURNS, 0));
		imported("imported");
		return 12;
	}
}
