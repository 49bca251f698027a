// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that no compiler makes. Functions that cannot be probed are in no expectation; the test
 * checks the reasons.
 */
#include "victim.h"

#define ROUNDS 7
#define TURNS 4

#define ASM(name, code) \
	int name(int n); \
	asm(".pushsection .text\n.globl " #name "\n.type " #name ", @function\n" \
	    #name ":\n" code "\n.size " #name ", . - " #name "\n.popsection\n")

PROBED int target(int n)
{
	return n + 1;
}

/* one instruction */
ASM(only_ret, "ret");
ASM(only_jmp, "jmp target");
ASM(only_jmp_far_away, "jmp *pointer(%rip)");
ASM(only_repz_ret, "repz ret");
ASM(only_notrack, "endbr64\n ret");
ASM(only_chain, "jmp only_jmp");

__attribute__((used)) int (*volatile pointer)(int) = target;

/* a call that is no call, a return that is a jump: the address is pushed */
ASM(pushes_target, "lea target(%rip), %rax\n push %rax\n ret");
ASM(reads_own_address, "call 1f\n 1: pop %rax\n mov %edi, %eax\n ret");
/* the code after the conditional jump's fall-through belongs to another function */
ASM(leaves_at_once, "test %edi, %edi\n jns target\n mov $-1, %eax\n ret");
/* jumps back to the first instruction: turns of a loop are no calls */
ASM(loops_to_start, "dec %edi\n jns loops_to_start\n mov %edi, %eax\n ret");
ASM(loops_and_calls, "push %rdi\n call target\n pop %rdi\n dec %edi\n jns loops_and_calls\n ret");
ASM(loops_behind_endbr, "endbr64\n 1: dec %edi\n jns 1b\n mov $6, %eax\n ret");
/* two functions in one, both called; the first continues into the second */
ASM(whole, "add $5, %edi\n .globl part\n .type part, @function\n"
    "part: lea 1(%rdi), %eax\n ret\n .size part, . - part");
int part(int n);
/* removes an argument from the stack */
ASM(removes_argument, "mov 8(%rsp), %eax\n ret $8");
ASM(passes_argument, "push %rdi\n call removes_argument\n ret");

/* a function without a size, and one without a type */
int no_size(int n);
int no_type(int n);
asm(".pushsection .text\n"
    ".globl no_size\n.type no_size, @function\n"
    "no_size: lea 2(%rdi), %eax\n ret\n"
    ".globl no_type\n"
    "no_type: push %rdi\n call no_size\n pop %rdi\n ret\n"
    ".popsection\n");

int main(int argc, char **argv)
{
	int i, sum = 0;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		/* whole continues into part, which counts as a call of part */
		printf("leaves_at_once %d\nloops_behind_endbr %d\nloops_to_start %d\nmain 1\n"
		       "only_chain %d\n"
		       "only_jmp %d\nonly_jmp_far_away %d\nonly_notrack %d\n"
		       "only_repz_ret %d\nonly_ret %d\npart %d\npasses_argument %d\n"
		       "pushes_target %d\nreads_own_address %d\nremoves_argument %d\n"
		       "target %d\nwhole %d\n", 2 * ROUNDS, ROUNDS, 2 * ROUNDS,
		       ROUNDS, 2 * ROUNDS, ROUNDS,
		       ROUNDS, ROUNDS, ROUNDS, 2 * ROUNDS, ROUNDS, ROUNDS, ROUNDS, ROUNDS,
		       6 * ROUNDS, ROUNDS);
		return 0;
	case VICTIM_TREE:
		return VICTIM_USAGE;
	default:
		for (i = 0; i < ROUNDS; i++) {
			only_ret(i);
			only_repz_ret(i);
			only_notrack(i);
			sum += only_jmp(i) + only_chain(i) + only_jmp_far_away(i);
			sum += pushes_target(i) + reads_own_address(i);
			sum += leaves_at_once(i) + leaves_at_once(-1 - i);
			sum += loops_to_start(TURNS) + loops_behind_endbr(TURNS);
			sum += loops_to_start(i) + loops_and_calls(-1);
			sum += whole(i) + part(i) + passes_argument(i);
			sum += no_size(i) + no_type(i);
		}
		printf("sum %d\n", sum);
		return 50;
	}
}
