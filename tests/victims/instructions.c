// SPDX-License-Identifier: GPL-2.0
/*
 * A function for each class of instructions, which is its first instruction and the only place for
 * its entry probe. Prints all registers, flags and memory behind it: with a probe, they must be the
 * same. --expect lists the functions that can be probed. i_popf begins with pushf; a test probes
 * the popf behind it.
 */
#include <stdbool.h>
#include <stdint.h>

#include "victim.h"

#define MEM 256

/* In the order of LOAD and SAVE. */
enum { RAX, RBX, RCX, RDX, RSI, RDI, RBP, R8, R9, R10, R11, R12, R13, R14, R15, FLAGS, NR_REGS };

uint64_t regs_in[NR_REGS], regs_out[NR_REGS], stack_at, stack_moved;
uint8_t memory[MEM] __attribute__((aligned(64)));
uint8_t vectors[4 * 32] __attribute__((aligned(64)));
uint64_t word = 0x1122334455667788, pair[2] __attribute__((aligned(16))) = { 7, 9 };
double number = 1.25;
void (*one)(void);

struct insn {
	const char *name;
	void (*code)(void);
	uint64_t is_probed, is_avx;
};

extern const struct insn insns[], insns_end[];
void run_one(void);

/*
 * A jump leads to the second instruction, so an entry probe can only be at the first one. The
 * first instruction may leave the function.
 */
asm("	.macro insn kind, name, first, second, third, fourth\n"
    "	.pushsection .rodata.str, \"aMS\", @progbits, 1\n"
    "8:	.asciz \"i_\\name\"\n"
    "	.popsection\n"
    "	.pushsection .data.insns, \"aw\"\n"
    "	.quad 8b, i_\\name, is_\\kind, is_avx\n"
    "	.popsection\n"
    "	.type i_\\name, @function\n"
    "i_\\name:\n"
    "	\\first\n"
    "2:	\\second\n"
    "	\\third\n"
    "	\\fourth\n"
    "1:	ret\n"
    "	jmp 2b\n"
    "	.size i_\\name, . - i_\\name\n"
    "	.endm\n"
    "	.macro save reg, at\n"
    "	mov %\\reg, regs_out + 8 * \\at\n"
    "	.endm\n"
    "	.macro load reg, at\n"
    "	mov regs_in + 8 * \\at, %\\reg\n"
    "	.endm\n"
    "	.macro each what\n"
    "	\\what rax, 0\n"
    "	\\what rbx, 1\n"
    "	\\what rcx, 2\n"
    "	\\what rdx, 3\n"
    "	\\what rsi, 4\n"
    "	\\what rdi, 5\n"
    "	\\what rbp, 6\n"
    "	\\what r8, 7\n"
    "	\\what r9, 8\n"
    "	\\what r10, 9\n"
    "	\\what r11, 10\n"
    "	\\what r12, 11\n"
    "	\\what r13, 12\n"
    "	\\what r14, 13\n"
    "	\\what r15, 14\n"
    "	.endm\n"
    "	.equ is_probed, 1\n"
    "	.equ is_refused, 0\n"
    "	.equ is_avx, 0\n"
    "	.pushsection .data.insns, \"aw\"\n"
    "	.globl insns\n"
    "insns:\n"
    "	.popsection\n"
    "	.text\n"
    /* Not a function: its exits must not be probed. */
    "	.globl run_one\n"
    "run_one:\n"
    "	push %rbx\n	push %rbp\n	push %r12\n	push %r13\n	push %r14\n	push %r15\n"
    "	sub $8, %rsp\n"
    "	mov %rsp, stack_at\n"
    "	pushq regs_in + 8 * 15\n"
    "	popf\n"
    "	each load\n"
    "	call *one\n"
    "	pushf\n"
    "	popq regs_out + 8 * 15\n"
    "	each save\n"
    "	cld\n"
    "	mov %rsp, %rax\n"
    "	sub stack_at, %rax\n"
    "	mov %rax, stack_moved\n"
    "	mov stack_at, %rsp\n"
    "	add $8, %rsp\n"
    "	pop %r15\n	pop %r14\n	pop %r13\n	pop %r12\n	pop %rbp\n	pop %rbx\n"
    "	ret\n"
    "twice:	add %rax, %rax\n"
    "	ret\n"
    "	.data\n"
    "to_twice: .quad twice\n"
    "	.text\n");

/* Registers at the start: see set_up(). rdi, rsi and rbx point to memory, rcx is 3, rdx is 0. */
asm(/* flags */
    "	insn refused, pushf, pushf, \"pop %rax\"\n"
    "	insn refused, pushf_16, pushfw, \"popw %ax\"\n"
    "	insn refused, popf, pushf, popf\n"
    "	insn probed, lahf, lahf\n"
    "	insn probed, sahf, sahf\n"
    "	insn probed, clc, clc\n"
    "	insn probed, cmc, cmc\n"
    "	insn probed, std, std\n"
    "	insn probed, adc, \"adc %rax, %rbx\"\n"
    "	insn probed, bt, \"bt $3, %rax\"\n"
    "	insn probed, cmov, \"cmovc %rcx, %rax\"\n"
    "	insn probed, setc, \"setc %al\"\n"
    /* the stack */
    "	insn probed, push, \"push %rax\", \"pop %rbx\"\n"
    "	insn probed, push_r12, \"push %r12\", \"pop %rbx\"\n"
    "	insn probed, push_rsp, \"push %rsp\", \"pop %rax\", \"sub %rsp, %rax\"\n"
    "	insn probed, push_16, \"pushw %ax\", \"popw %bx\"\n"
    "	insn probed, push_number, \"push $-3\", \"pop %rbx\"\n"
    "	insn probed, push_memory, \"push word(%rip)\", \"pop %rbx\"\n"
    "	insn probed, push_fs, \"push %fs\", \"pop %rbx\"\n"
    "	insn probed, pop, \"pop %rax\", \"push %rax\"\n"
    "	insn probed, pop_memory, \"pop (%rdi)\", \"push (%rdi)\"\n"
    "	insn probed, enter, \"enter $16, $0\", leave\n"
    "	insn probed, sub_rsp, \"sub $8, %rsp\", \"add $8, %rsp\", \"test %eax, %eax\"\n"
    /* the instruction pointer */
    "	insn probed, lea, \"lea twice(%rip), %rax\"\n"
    "	insn probed, load, \"mov word(%rip), %rax\"\n"
    "	insn probed, load_rsi, \"mov word(%rip), %rsi\"\n"
    "	insn probed, load_r14, \"mov word(%rip), %r14\"\n"
    "	insn probed, store, \"mov %rdi, word(%rip)\"\n"
    "	insn probed, store_number, \"movq $77, word(%rip)\"\n"
    "	insn probed, add_to, \"add %rsi, word(%rip)\"\n"
    "	insn probed, multiply, \"mulq word(%rip)\"\n"
    "	insn probed, divide, \"divq word(%rip)\"\n"
    "	insn probed, shift, \"shlq %cl, word(%rip)\"\n"
    "	insn probed, exchange, \"cmpxchg %rsi, word(%rip)\"\n"
    "	insn probed, exchange_8, \"cmpxchg8b word(%rip)\"\n"
    "	insn probed, exchange_16, \"cmpxchg16b pair(%rip)\"\n"
    "	insn probed, address_32, \"mov word(%eip), %rax\"\n"
    /* leaving */
    "	insn probed, jmp, \"jmp 1f\", ud2\n"
    "	insn probed, jmp_register, \"jmp *%r10\"\n"
    "	insn probed, jmp_memory, \"jmp *to_twice(%rip)\"\n"
    "	insn probed, call, \"call twice\"\n"
    "	insn probed, call_register, \"call *%r10\"\n"
    "	insn probed, call_memory, \"call *to_twice(%rip)\"\n"
    "	insn probed, ret, ret\n"
    "	insn probed, rep_ret, \"rep ret\"\n"
    "	insn probed, loop, \"loop 1f\", \"dec %rax\"\n"
    "	insn probed, loope, \"loope 1f\", \"dec %rax\"\n"
    "	insn probed, jrcxz, \"jrcxz 1f\", \"dec %rax\"\n"
    "	insn probed, jecxz, \"jecxz 1f\", \"dec %rax\"\n"
    "	.irp cc, o, no, c, nc, z, nz, be, a, s, ns, p, np, l, ge, le, g\n"
    "	insn probed, j\\cc, \"j\\cc 1f\", \"dec %rax\"\n"
    "	insn probed, far_j\\cc, \"{disp32} j\\cc 1f\", \"dec %rax\"\n"
    "	.endr\n"
    /* strings */
    "	insn probed, movs, movsq\n"
    "	insn probed, stos, stosb\n"
    "	insn probed, lods, lodsl\n"
    "	insn probed, scas, scasw\n"
    "	insn probed, cmps, cmpsb\n"
    "	insn probed, xlat, xlat\n"
    "	insn refused, rep_movs, \"rep movsb\"\n"
    "	insn refused, rep_stos, \"rep stosq\"\n"
    "	insn refused, repne_scas, \"repne scasb\"\n"
    /* nothing */
    "	insn probed, nop, nop\n"
    "	insn probed, nop_long, \"nopw 0(%rax,%rax,1)\"\n"
    "	insn refused, pause, pause\n"
    "	insn probed, endbr64, endbr64\n"
    "	insn probed, mfence, mfence\n"
    "	insn probed, prefetch, \"prefetcht0 word(%rip)\"\n"
    /* registers that swap, which resemble nop */
    "	insn refused, xchg_r8, \"xchg %r8, %rax\"\n"
    "	insn refused, xchg_ax, \"xchg %ax, %ax\"\n"
    "	insn probed, xchg_rcx, \"xchg %rcx, %rax\"\n"
    /* segments and the kernel */
    "	insn refused, mov_to_ss, \"mov %r11d, %ss\"\n"
    "	insn probed, mov_from_ss, \"mov %ss, %eax\"\n"
    "	insn probed, fs_load, \"mov %fs:0, %eax\", \"xor %eax, %eax\"\n"
    "	insn refused, syscall, syscall\n"
    "	insn probed, cpuid, cpuid, \"xor %ebx, %ebx\"\n"
    "	insn probed, rdtscp, rdtscp, \"xor %eax, %eax\", \"xor %ecx, %ecx\", \"xor %edx, %edx\"\n"
    "	insn refused, lock, \"lock incl (%rdi)\"\n"
    /* numbers */
    "	insn probed, crc32, \"crc32q word(%rip), %rax\"\n"
    "	insn probed, popcnt, \"popcnt %rax, %rcx\"\n"
    "	insn probed, x87, \"fldl number(%rip)\", \"fstpl (%rdi)\"\n"
    "	insn probed, x87_state, \"fnstenv (%rdi)\", \"movq $0, 12(%rdi)\", \"movq $0, 20(%rdi)\"\n"
    "	insn probed, stmxcsr, \"stmxcsr (%rdi)\"\n"
    "	insn probed, pshufb, \"pshufb %xmm1, %xmm0\"\n"
    "	insn probed, addsd, \"addsd number(%rip), %xmm0\"\n"
    "	insn probed, pcmpistri, \"pcmpistri $12, pair(%rip), %xmm0\"\n"
    "	insn probed, maskmovdqu, \"maskmovdqu %xmm1, %xmm0\"\n"
    "	.equ is_avx, 1\n"
    "	insn probed, vaddsd, \"vaddsd number(%rip), %xmm0, %xmm1\"\n"
    "	insn probed, vbroadcastss, \"vbroadcastss %xmm1, %ymm0\"\n"
    "	insn probed, vxorps, \"vxorps %ymm0, %ymm1, %ymm2\"\n"
    "	insn probed, vfmadd, \"vfmadd231sd number(%rip), %xmm1, %xmm0\"\n"
    "	insn probed, vpermq, \"vpermq $27, %ymm0, %ymm1\"\n"
    "	insn refused, andn, \"andn word(%rip), %rsi, %rdi\"\n"
    "	insn probed, mulx, \"mulx word(%rip), %rax, %rsi\"\n"
    "	insn refused, vzeroupper, vzeroupper\n"
    "	insn refused, vpcmpeqb, \"vpcmpeqb %ymm0, %ymm1, %ymm2\"\n"
    "	insn refused, vpshufd, \"vpshufd $3, %xmm0, %xmm1\"\n"
    "	insn refused, vpbroadcastb, \"vpbroadcastb %xmm1, %ymm0\"\n"
    "	insn refused, vpor, \"vpor %ymm0, %ymm1, %ymm2\"\n"
    "	insn refused, vpsubsb, \"vpsubsb %xmm0, %xmm1, %xmm2\"\n"
    "	insn refused, vcmpsd, \"vcmpsd $1, %xmm0, %xmm1, %xmm2\"\n"
    "	insn refused, vfnmadd, \"vfnmadd132sd %xmm0, %xmm1, %xmm2\"\n"
    "	insn refused, vmovd, \"vmovd %eax, %xmm0\"\n"
    "	.pushsection .data.insns, \"aw\"\n"
    "	.globl insns_end\n"
    "insns_end:\n"
    "	.popsection\n");

extern const char twice[];

PROBED bool has_avx(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	       __builtin_cpu_supports("bmi2");
}

PROBED void set_up(void)
{
	static const uint64_t start[NR_REGS] = {
		[RAX] = 102, [RBX] = (uintptr_t)memory, [RCX] = 3,
		[RSI] = (uintptr_t)memory + 128, [RDI] = (uintptr_t)memory + 64,
		[RBP] = 0x5555, [R8] = 0x8888, [R9] = 0x9999,
		[R11] = 0x2b, [R12] = 0xcccc, [R13] = 0xdddd, [R14] = 0xeeee, [R15] = 0xffff,
		[FLAGS] = 0x203,
	};
	int i;

	memcpy(regs_in, start, sizeof(start));
	regs_in[R10] = (uintptr_t)twice;
	for (i = 0; i < MEM; i++)
		memory[i] = i * 7;
	word = 0x1122334455667788;
	pair[0] = 7;
	pair[1] = 9;
	asm volatile("movups %0, %%xmm0; movups %1, %%xmm1; pxor %%xmm2, %%xmm2; pxor %%xmm3, %%xmm3"
		     : : "m"(memory[3]), "m"(memory[9]));
}

PROBED void set_up_avx(void)
{
	asm volatile("vmovups %0, %%ymm0; vmovups %1, %%ymm1; vmovups %0, %%ymm2; vmovups %1, %%ymm3"
		     : : "m"(memory[30]), "m"(memory[90]));
}

/* The functions above use no vector registers behind set_up(). */
PROBED void save_vectors(bool is_avx)
{
	if (is_avx)
		asm volatile("vmovups %%ymm0, %0; vmovups %%ymm1, 32+%0; vmovups %%ymm2, 64+%0;"
			     "vmovups %%ymm3, 96+%0; vzeroupper" : "=m"(vectors[0]));
	else
		asm volatile("movups %%xmm0, %0; movups %%xmm1, 16+%0; movups %%xmm2, 32+%0;"
			     "movups %%xmm3, 48+%0" : "=m"(vectors[0]));
}

PROBED uint64_t sum(const uint8_t *bytes, int nr)
{
	uint64_t sum = 0;

	while (nr--)
		sum = sum * 31 + *bytes++;
	return sum;
}

PROBED void show(const struct insn *insn)
{
	int i;

	printf("%s stack %lld memory %llx word %llx pair %llx %llx vectors %llx:", insn->name,
	       (long long)stack_moved, (unsigned long long)sum(memory, MEM),
	       (unsigned long long)word, (unsigned long long)pair[0], (unsigned long long)pair[1],
	       (unsigned long long)sum(vectors, sizeof(vectors)));
	for (i = 0; i < NR_REGS; i++)
		printf(" %llx", (unsigned long long)regs_out[i]);
	printf("\n");
}

int main(int argc, char **argv)
{
	bool is_expected = victim_mode(&argc, &argv) != VICTIM_RUN, is_avx = has_avx();
	const struct insn *insn;
	int round;

	for (insn = insns; insn < insns_end; insn++) {
		if (insn->is_avx && !is_avx)
			continue;
		if (is_expected && insn->is_probed)
			printf("%s 2\n", insn->name);
		for (round = 0; !is_expected && round < 2; round++) {
			set_up();
			if (insn->is_avx)
				set_up_avx();
			one = insn->code;
			run_one();
			save_vectors(insn->is_avx);
			show(insn);
		}
	}
	return 0;
}
