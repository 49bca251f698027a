// SPDX-License-Identifier: GPL-2.0
/*
 * Indirect jumps within a function: computed gotos by address and by distance, a jump table in a
 * loop, and jumps back to places where a probe of the entry could be.
 */
#include "victim.h"

#define ROUNDS 6
#define TURNS 5

PROBED int leaf(int n)
{
	return n + 1;
}

PROBED int by_address(const unsigned char *code, int n)
{
	static const void *const labels[] = { &&stop, &&add, &&call, &&twice };

	for (;;) {
		goto *labels[*code++];
add:
		n += 9;
		continue;
call:
		n = leaf(n);
		continue;
twice:
		n *= 2;
	}
stop:
	return n;
}

PROBED int by_distance(const unsigned char *code, int n)
{
	static const int labels[] = { &&stop - &&stop, &&add - &&stop, &&call - &&stop,
				      &&twice - &&stop };

	goto *(&&stop + labels[*code++]);
add:
	n += 4;
	goto *(&&stop + labels[*code++]);
call:
	n = leaf(n);
	goto *(&&stop + labels[*code++]);
twice:
	n = 2 * n + 1;
	goto *(&&stop + labels[*code++]);
stop:
	return n;
}

PROBED int interpret(const unsigned char *code, int n)
{
	for (;;)
		switch (*code++) {
		case 0: return n;
		case 1: n += 11; break;
		case 2: n = leaf(n); break;
		case 3: n *= 3; break;
		case 4: n -= leaf(2); break;
		case 5: n ^= 77; break;
		case 6: return leaf(n);
		default: return -1;
		}
}

/*
 * Each turn jumps, through a register, to the second instruction. The third is the first one of the
 * first block that the kernel would emulate. Only the first instruction is executed once per call.
 */
int back_by_register(int turns);
asm(".pushsection .text\n"
    ".globl back_by_register\n"
    ".type back_by_register, @function\n"
    "back_by_register:\n"
    "	lea 1f(%rip), %rdx\n"
    "1:	lea 7(%rax), %rax\n"
    "	nop\n"
    "	dec %edi\n"
    "	js 2f\n"
    "	jmp *%rdx\n"
    "2:	mov $3, %eax\n"
    "	ret\n"
    ".size back_by_register, . - back_by_register\n"
    ".popsection\n");

/* The same, through memory. */
int back_by_memory(int turns);
asm(".pushsection .text\n"
    ".globl back_by_memory\n"
    ".type back_by_memory, @function\n"
    "back_by_memory:\n"
    "	lea 1f(%rip), %rdx\n"
    "	mov %rdx, -8(%rsp)\n"
    "1:	dec %edi\n"
    "	js 2f\n"
    "	jmp *-8(%rsp)\n"
    "2:	mov $4, %eax\n"
    "	ret\n"
    ".size back_by_memory, . - back_by_memory\n"
    ".popsection\n");

int main(int argc, char **argv)
{
	static const unsigned char code[] = { 1, 2, 3, 2, 1, 2, 3, 0 };
	static const unsigned char other[] = { 1, 2, 3, 4, 5, 1, 6 };
	int i, sum = 0;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		printf("back_by_memory %d\nback_by_register %d\nby_address %d\nby_distance %d\n"
		       "interpret %d\nleaf %d\nmain 1\n", ROUNDS, ROUNDS, ROUNDS, ROUNDS,
		       2 * ROUNDS, ROUNDS * (3 + 3 + 3 + 3));
		return 0;
	case VICTIM_TREE:
		puts("main() {");
		for (i = 0; i < ROUNDS; i++)
			puts("  by_address() {\n    leaf();\n    leaf();\n    leaf();\n"
			     "  } /* by_address */\n"
			     "  by_distance() {\n    leaf();\n    leaf();\n    leaf();\n"
			     "  } /* by_distance */\n"
			     "  interpret() {\n    leaf();\n    leaf();\n    leaf();\n"
			     "  } /* interpret */\n"
			     "  interpret() {\n    leaf();\n    leaf();\n    leaf();\n"
			     "  } /* interpret */\n"
			     "  back_by_register();\n  back_by_memory();");
		puts("} /* main */");
		return 0;
	default:
		for (i = 0; i < ROUNDS; i++) {
			sum += by_address(code, i);
			sum += by_distance(code, i);
			sum += interpret(code, i);
			sum += interpret(other, i);
			sum += back_by_register(TURNS);
			sum += back_by_memory(TURNS);
		}
		printf("sum %d\n", sum);
		return 49;
	}
}
