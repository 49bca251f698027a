# Functions whose correct plan is known: labels NAME.entry and NAME.exitN mark the places of the
# probes. Built into a library that test_plan.c reads.
	.text
	.macro function name
	.globl \name
	.type \name, @function
	\name:
	.endm
	.macro over name
	.size \name, . - \name
	.endm

# push first: it is emulated
function push_first
push_first.entry:
	push %rbp
	mov %rdi, %rax
	pop %rbp
push_first.exit1:
	ret
over push_first

# void mangled(int)
function _Z7mangledi
_Z7mangledi.entry:
	push %rbp
	pop %rbp
_Z7mangledi.exit1:
	ret
over _Z7mangledi

# endbr64 is not emulated, the push after it is
function behind_endbr
	endbr64
behind_endbr.entry:
	push %r12
	pop %r12
behind_endbr.exit1:
	ret
over behind_endbr

# the stack pointer has moved before the push
function moved_sp
moved_sp.entry:
	sub $8, %rsp
	push %rbx
	pop %rbx
	add $8, %rsp
moved_sp.exit1:
	ret $16
over moved_sp

# a jump to a place after the first instruction: only the first instruction can be probed
function loops_back
loops_back.entry:
	mov $3, %eax
1:	dec %eax
	jnz 1b
loops_back.exit1:
	ret
over loops_back

# the first block ends with a jcc, which is emulated
function ends_with_jcc
	test %edi, %edi
ends_with_jcc.entry:
	jz 1f
	mov $1, %eax
ends_with_jcc.exit1:
	ret
1:	xor %eax, %eax
ends_with_jcc.exit2:
	ret
over ends_with_jcc

# tail calls, unconditional and conditional
function tail_calls
	test %edi, %edi
tail_calls.entry:
tail_calls.exit1:
	js never_returns
	cmp $1, %edi
tail_calls.exit2:
	je runs_on
tail_calls.exit3:
	jmp never_returns
over tail_calls

# the same, to functions with probes at all exits: these jumps need none
function tail_calls_seen
	test %edi, %edi
tail_calls_seen.entry:
	js push_first
	cmp $1, %edi
	je tail_calls_on
tail_calls_seen.exit1:
	ret
over tail_calls_seen

function tail_calls_on
	mov $1, %eax
tail_calls_on.entry:
	jmp moved_sp
over tail_calls_on

# jumps in a circle, and into one
function round
	mov $1, %eax
round.entry:
round.exit1:
	jmp and_round
over round

function and_round
	mov $2, %eax
and_round.entry:
and_round.exit1:
	jmp round
over and_round

function into_round
	mov $3, %eax
into_round.entry:
into_round.exit1:
	jmp round
over into_round

# an indirect jump that is no table: the jump itself is probed
function through_pointer
through_pointer.entry:
	mov %rdi, %rax
through_pointer.exit1:
	jmp *8(%rax,%rcx,8)
over through_pointer

# it may lead back to any place: after the first instruction only a push is safe
function jumps_back
jumps_back.entry:
	lea 1f(%rip), %rdx
1:	dec %edi
	js 2f
jumps_back.exit1:
	jmp *%rdx
2:
jumps_back.exit2:
	ret
over jumps_back

function jumps_back_behind_push
	mov %rdi, %rdx
jumps_back_behind_push.entry:
	push %rbx
	pop %rbx
jumps_back_behind_push.exit1:
	jmp *%rdx
over jumps_back_behind_push

# a jump table as compilers make it: no exit
function with_table
	cmp $2, %edi
with_table.entry:
	ja 9f
	lea table(%rip), %rdx
	mov %edi, %edi
	movslq (%rdx,%rdi,4), %rax
	add %rdx, %rax
	notrack jmp *%rax
7:	mov $7, %eax
with_table.exit1:
	ret
8:	mov $8, %eax
with_table.exit2:
	ret
9:	xor %eax, %eax
with_table.exit3:
	ret
over with_table

# the beginning of a Go function: the jump back is made after the stack has grown
function grows_its_stack
	cmp 16(%r14), %rsp
grows_its_stack.entry:
	jbe 1f
	sub $8, %rsp
	add $8, %rsp
	ret
1:	call push_first
	jmp grows_its_stack
over grows_its_stack
#ifdef GO
	.section .go.buildinfo, "a"
	.long 0
	.text
#endif

# its cold part belongs to it: a jump there is no exit, a return there is one
function has_cold
	test %edi, %edi
has_cold.entry:
	js has_cold.cold
	mov %edi, %eax
has_cold.exit1:
	ret
over has_cold

	.type has_cold.cold, @function
has_cold.cold:
	call push_first
has_cold.exit2:
	ret
	.size has_cold.cold, . - has_cold.cold

# never returns
function never_returns
never_returns.entry:
	push %rbp
	call push_first
	ud2
over never_returns

# an open frame distinguishes a turn of the loop from a call
function head_of_loop
head_of_loop.entry:
	dec %edi
	jnz head_of_loop
head_of_loop.exit1:
	ret
over head_of_loop

# cannot be probed: its callee could throw, and then each turn would look like a call
function head_of_loop_calls
	push %rdi
	call push_first
	pop %rdi
	dec %edi
	jnz head_of_loop_calls
	ret
over head_of_loop_calls

	.globl no_size
	.type no_size, @function
no_size:
	ret

# no kernel accepts a probe at these prefixes
function locked_first
	lock incl (%rdi)
locked_first.entry:
	mov $1, %eax
locked_first.exit1:
	ret
over locked_first

function avx_first
	vmovd %edi, %xmm0
avx_first.entry:
	mov %edi, %eax
avx_first.exit1:
	ret
over avx_first

# some AVX instructions are accepted
function avx_taken
avx_taken.entry:
	vbroadcastss %xmm0, %ymm0
avx_taken.exit1:
	ret
over avx_taken

function locked_only
	lock incl (%rdi)
1:	dec %edi
	jnz 1b
	ret
over locked_only

# Functions of which only the first instruction can be probed, because a jump leads to the next one.
	.macro only_first kind, name, code:vararg
	function \kind\()_\name
	\kind\()_\name\().entry:
	\code
1:	dec %edi
	jnz 1b
	ret
	over \kind\()_\name
	.endm

# with a probe, the program would notice it, or the kernel refuses it
	only_first refused, pushf, pushf
	only_first refused, pushf_16, pushfw
	only_first refused, int3, int3
	only_first refused, icebp, .byte 0xf1
	only_first refused, int80, int $0x80
	only_first refused, iret, iretq
	only_first refused, hlt, hlt
	only_first refused, syscall, syscall
	only_first refused, sysenter, sysenter
	only_first refused, ud2, ud2
	only_first refused, rep_movs, rep movsb
	only_first refused, rep_stos, rep stosq
	only_first refused, repne_scas, repne scasb
	only_first refused, mov_to_ss, mov %eax, %ss
	only_first refused, lss, lss (%rdi), %eax
	only_first refused, xbegin, xbegin .
	only_first refused, xabort, xabort $1
	only_first refused, xend, xend
	only_first refused, sgdt, sgdt (%rdi)
	only_first refused, smsw, smsw %eax
	only_first refused, str, str %eax
	only_first refused, far_call, lcall *(%rdi)
	only_first refused, far_jump, ljmp *(%rdi)
	only_first refused, far_return, lretq
	only_first refused, xchg_r8, xchg %r8, %rax
	only_first refused, xchg_ax, xchg %ax, %ax
	only_first refused, vzeroupper, vzeroupper
	only_first refused, vpcmpeqb, vpcmpeqb %ymm0, %ymm1, %ymm2
	only_first refused, vpshufd, vpshufd $3, %xmm0, %xmm1
	only_first refused, vmovdqa_store, vmovdqa %ymm0, (%rdi)
	only_first refused, vpbroadcastb, vpbroadcastb %xmm0, %ymm0
	only_first refused, vpor, vpor %ymm0, %ymm1, %ymm2
	only_first refused, vpsubsb, vpsubsb %xmm0, %xmm1, %xmm2
	only_first refused, vcmpsd, vcmpsd $1, %xmm0, %xmm1, %xmm2
	only_first refused, vfnmadd, vfnmadd132sd %xmm0, %xmm1, %xmm2
	only_first refused, kmov, kmovw (%rdi), %k1
	only_first refused, evex, vpcmpeqd %zmm0, %zmm1, %k1
	only_first refused, vmovd, vmovd %edi, %xmm0
	only_first refused, xop, vphaddbd %xmm0, %xmm1
	only_first refused, unknown, .byte 0x06

# with the same result as without a probe
	only_first taken, popf, popf
	only_first taken, movs, movsb
	only_first taken, rep_ret, rep ret
	only_first taken, rdtscp, rdtscp
	only_first taken, xgetbv, xgetbv
	only_first taken, cpuid, cpuid
	only_first taken, endbr, endbr64
	only_first taken, loop, loop .
	only_first taken, relative, mov table(%rip), %rax
	only_first taken, vrelative, vmovsd table(%rip), %xmm0
	only_first taken, call, call *%rdi
	only_first refused, pause, pause
	only_first taken, mov_from_ss, mov %ss, %eax
	only_first taken, x87, fldt 8(%rsp)
	only_first taken, three_bytes, pshufb %xmm1, %xmm0
	only_first taken, pop_memory, pop (%rdi)
	only_first taken, fence, mfence
	only_first taken, vxorps, vxorps %xmm0, %xmm0, %xmm0
	only_first taken, vaddsd, vaddsd %xmm0, %xmm1, %xmm0
	only_first taken, avx512, vaddpd %zmm0, %zmm1, %zmm2
	only_first taken, avx512_relative, vmovups table(%rip), %zmm0

# another place of the first block
function behind_pushf
	mov %edi, %eax
	test %eax, %eax
behind_pushf.entry:
	jz 1f
1:	pushf
	pop %rax
behind_pushf.exit1:
	ret
over behind_pushf

function behind_rep
	rep stosb
behind_rep.entry:
	mov %edx, %eax
behind_rep.exit1:
	ret
over behind_rep

function exit_is_short
exit_is_short.entry:
	mov %edi, %eax
	retw
over exit_is_short

function exit_is_refused
exit_is_refused.entry:
	mov %rdi, %rdx
	notrack jmp *%rdx
over exit_is_refused

# two overlapping functions: it is not known to which the return belongs
function outer_of_two
outer_of_two.entry:
	mov $1, %eax
function inner_of_two
inner_of_two.entry:
	add $2, %eax
inner_of_two.exit1:
	ret
over inner_of_two
over outer_of_two

# continues into the next function
function runs_on
runs_on.entry:
	push %rbp
	pop %rbp
over runs_on
	ret

	.section .rodata
	.align 4
table:
	.long 7b - table
	.long 8b - table
	.long 9b - table
	.section .note.GNU-stack, "", @progbits
