// SPDX-License-Identifier: GPL-2.0
/*
 * Instructions of a function: where it may be entered and left. By Capstone.
 *
 * Entry: the kernel emulates push, relative jump and call, jcc and nop at a
 * probe, and single-steps all else, which costs a second trap. So the probe
 * goes on the first emulated instruction of the first basic block, as long as
 * the stack pointer has not moved and nothing jumps behind the function's
 * first instruction up to there. Where an indirect jump leads is not known: it
 * may lead there too, but for a push, which no loop repeats.
 *
 * Exits: returns, and jumps out of the function. An indirect jump is a jump
 * table when its table can be read and leads inside; any other is probed, and
 * the module reads its target at the hit.
 */
#include <stdlib.h>
#include <string.h>

#include <capstone/capstone.h>

#include "insn.h"
#include "mem.h"

#define MAX_FIRST 12	/* instructions of the first block that are looked at */
#define MAX_BACK 16	/* instructions before an indirect jump, likewise */

struct first {
	uint64_t addr;
	bool is_emulated;
	bool is_push;
	bool is_jbe;
	bool is_refused;	/* no kernel takes a probe on it */
};

struct past {
	unsigned int id;
	x86_reg to, base, index;	/* to = ... [base + index * scale + disp] */
	int scale;
	int64_t disp;
	uint64_t next;
	bool has_mem;
	x86_reg from;
};

struct insn {
	csh handle;
	cs_insn *one;
	/* of the function being planned */
	const struct elf_file *file;
	const struct insn_range *range;
	struct insn_plan *plan;
	unsigned char *is_target;	/* [range->len]: something jumps there */
	size_t targets_len;
	struct first first[MAX_FIRST];
	unsigned int nr_first;
	bool is_first_over;
	bool jumps_anywhere;
	bool calls;
	bool is_spent;		/* the budget: targets may be missing */
	struct past past[MAX_BACK];
	unsigned int nr_past;
};

struct insn *insn_open(struct err *err)
{
	struct insn *insn = mem_alloc(sizeof(*insn));

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &insn->handle) != CS_ERR_OK) {
		free(insn);
		err_set(err, "The Capstone library cannot decode x86-64; install a build with x86.");
		return NULL;
	}
	cs_option(insn->handle, CS_OPT_DETAIL, CS_OPT_ON);
	insn->one = cs_malloc(insn->handle);
	return insn;
}

void insn_close(struct insn *insn)
{
	if (!insn)
		return;
	cs_free(insn->one, 1);
	cs_close(&insn->handle);
	free(insn->is_target);
	free(insn);
}

/* --- ranges ------------------------------------------------------------- */

static bool is_inside(const struct insn_range *range, uint64_t addr)
{
	return addr - range->addr < range->len ||
	       addr - range->cold_addr < range->cold_len;
}

static void mark_target(struct insn *insn, uint64_t addr)
{
	if (addr - insn->range->addr < insn->range->len)
		insn->is_target[addr - insn->range->addr] = 1;
}

/* --- exits -------------------------------------------------------------- */

/*
 * The kernel looks for the opcode of AVX too in its table of one-byte opcodes:
 * these are none, or privileged, and so it takes no vmovd (6e), no vpxor (ef).
 */
static bool is_refused_avx(const cs_insn *one, size_t at)
{
	static const uint8_t bad[] = {
		0x06, 0x07, 0x0e, 0x0f, 0x16, 0x17, 0x1e, 0x1f, 0x26, 0x27, 0x2e, 0x2f,
		0x36, 0x37, 0x3e, 0x3f, 0x60, 0x61, 0x62, 0x64, 0x65, 0x66, 0x67, 0x6c,
		0x6d, 0x6e, 0x6f, 0x82, 0x9a, 0xc4, 0xc5, 0xcc, 0xcd, 0xce, 0xcf, 0xd4,
		0xd5, 0xd6, 0xe4, 0xe5, 0xe6, 0xe7, 0xea, 0xec, 0xed, 0xee, 0xef, 0xf0,
		0xf1, 0xf2, 0xf3, 0xf4, 0xfa, 0xfb,
	};

	switch (one->bytes[at]) {
	case 0xc5:
		at += 2;
		break;
	case 0xc4:
		at += 3;
		break;
	case 0x62:
		at += 4;
		break;
	default:
		return false;
	}
	return at < one->size && memchr(bad, one->bytes[at], sizeof(bad));
}

/* The kernel's is_prefix_bad(): lock and the segments es, cs, ss, ds (notrack). */
static bool is_refused(const cs_insn *one)
{
	size_t i;

	for (i = 0; i < one->size && one->bytes[i] && strchr("\x66\x67\xf2\xf3\x64\x65"
	     "\xf0\x26\x2e\x36\x3e", one->bytes[i]); i++)
		if (strchr("\xf0\x26\x2e\x36\x3e", one->bytes[i]))
			return true;
	return i < one->size && is_refused_avx(one, i);
}

static struct ktrace_exit *add_exit(struct insn *insn, unsigned int kind)
{
	struct insn_plan *plan = insn->plan;
	struct ktrace_exit *exit;

	if (is_refused(insn->one)) {
		plan->no_return = "the kernel takes no probe on an exit of it (lock or notrack prefix)";
		return NULL;
	}
	if (plan->nr_exits == KTRACE_MAX_EXITS) {
		plan->no_return = "it has more than 64 exits";
		return NULL;
	}
	exit = &plan->exits[plan->nr_exits++];
	memset(exit, 0, sizeof(*exit));
	exit->offset = insn->one->address;
	exit->kind = kind;
	exit->base = KTRACE_REG_NONE;
	exit->index = KTRACE_REG_NONE;
	exit->scale = 1;
	exit->len = insn->one->size;
	return exit;
}

static void add_return(struct insn *insn, const cs_x86_op *op)
{
	struct ktrace_exit *exit = add_exit(insn, KTRACE_EXIT_RET);

	if (exit && insn->one->detail->x86.op_count)
		exit->disp = op->imm & 0xffff;
}

static int reg_number(x86_reg reg)
{
	static const x86_reg regs[] = {
		X86_REG_RAX, X86_REG_RCX, X86_REG_RDX, X86_REG_RBX, X86_REG_RSP, X86_REG_RBP,
		X86_REG_RSI, X86_REG_RDI, X86_REG_R8, X86_REG_R9, X86_REG_R10, X86_REG_R11,
		X86_REG_R12, X86_REG_R13, X86_REG_R14, X86_REG_R15, X86_REG_RIP,
	};
	unsigned int i;

	if (reg == X86_REG_INVALID || reg == X86_REG_RIZ)
		return KTRACE_REG_NONE;
	for (i = 0; i < sizeof(regs) / sizeof(regs[0]); i++)
		if (regs[i] == reg)
			return i;
	return -1;
}

static void add_indirect(struct insn *insn, const cs_x86_op *op)
{
	struct ktrace_exit *exit;
	int base, index;

	insn->jumps_anywhere |= op->type != X86_OP_MEM || op->mem.base != X86_REG_RIP;
	if (op->type == X86_OP_REG) {
		base = reg_number(op->reg);
		exit = base < 0 ? NULL : add_exit(insn, KTRACE_EXIT_JMP_REG);
		if (exit)
			exit->base = base;
		if (base >= 0)
			return;
	} else if (op->type == X86_OP_MEM && op->mem.segment == X86_REG_INVALID) {
		base = reg_number(op->mem.base);
		index = reg_number(op->mem.index);
		if (base >= 0 && index >= 0 && (int32_t)op->mem.disp == op->mem.disp) {
			exit = add_exit(insn, KTRACE_EXIT_JMP_MEM);
			if (!exit)
				return;
			exit->base = base;
			exit->index = index;
			exit->scale = op->mem.scale;
			exit->disp = op->mem.disp;
			return;
		}
	}
	insn->plan->no_return = "an indirect jump has a form that is not known";
}

/* --- jump tables -------------------------------------------------------- */

static const struct past *writer_of(const struct insn *insn, x86_reg reg, unsigned int *n)
{
	const struct past *past;

	for (; *n && insn->nr_past - *n < MAX_BACK; --*n) {
		past = &insn->past[(*n - 1) % MAX_BACK];
		if (past->to == reg) {
			--*n;
			return past;
		}
	}
	return NULL;
}

/* Many jumps may have one table. */
static bool may_read(struct insn *insn)
{
	insn->is_spent = insn->plan->nr_read == insn->range->budget;
	insn->plan->nr_read += !insn->is_spent;
	return !insn->is_spent;
}

/* Marks what a table of 32-bit distances from itself leads to; false: it leads out. */
static bool read_distances(struct insn *insn, uint64_t table)
{
	const uint8_t *bytes;
	uint64_t target, at;
	int32_t distance;
	bool is_any = false;

	for (at = table; may_read(insn) && (bytes = elf_file_bytes(insn->file, at, 4)); at += 4) {
		memcpy(&distance, bytes, 4);
		target = table + (int64_t)distance;
		if (!is_inside(insn->range, target))
			break;
		mark_target(insn, target);
		is_any = true;
	}
	return is_any;
}

static bool read_addresses(struct insn *insn, uint64_t table)
{
	const uint8_t *bytes;
	uint64_t target, at;
	bool is_any = false;

	for (at = table; may_read(insn) && (bytes = elf_file_bytes(insn->file, at, 8)); at += 8) {
		memcpy(&target, bytes, 8);
		if (!is_inside(insn->range, target))
			break;
		mark_target(insn, target);
		is_any = true;
	}
	return is_any;
}

/*
 * lea table(%rip), A;  movslq (A, I, 4), B;  add A, B;  jmp *B
 * as compilers write it, with others in between; the add's operands either way.
 */
static bool is_distance_table(struct insn *insn, x86_reg reg)
{
	unsigned int n = insn->nr_past;
	const struct past *add = writer_of(insn, reg, &n), *load, *lea;
	x86_reg base;

	if (!add || add->id != X86_INS_ADD || add->has_mem)
		return false;
	load = writer_of(insn, reg, &n);
	if (load && load->id == X86_INS_LEA) {
		/* The sum went to the register of the table's address. */
		lea = load;
		n = insn->nr_past - 1;
		load = writer_of(insn, add->from, &n);
		base = reg;
	} else {
		if (!load || load->id != X86_INS_MOVSXD)
			return false;
		base = load->base;
		lea = writer_of(insn, base, &n);
	}
	return load && load->id == X86_INS_MOVSXD && load->has_mem && load->scale == 4 &&
	       load->base == base && !load->disp && lea && lea->id == X86_INS_LEA &&
	       lea->base == X86_REG_RIP && read_distances(insn, lea->next + lea->disp);
}

/* jmp *table(, I, 8) of code that is not position-independent */
static bool is_address_table(struct insn *insn, const cs_x86_op *op)
{
	return op->mem.base == X86_REG_INVALID && op->mem.index != X86_REG_INVALID &&
	       op->mem.scale == 8 && read_addresses(insn, op->mem.disp);
}

static bool is_table_jump(struct insn *insn, const cs_x86_op *op)
{
	if (op->type == X86_OP_REG)
		return is_distance_table(insn, op->reg);
	return op->type == X86_OP_MEM && is_address_table(insn, op);
}

static x86_reg wide(x86_reg reg)
{
	static const x86_reg pairs[][2] = {
		{ X86_REG_EAX, X86_REG_RAX }, { X86_REG_ECX, X86_REG_RCX },
		{ X86_REG_EDX, X86_REG_RDX }, { X86_REG_EBX, X86_REG_RBX },
		{ X86_REG_ESI, X86_REG_RSI }, { X86_REG_EDI, X86_REG_RDI },
		{ X86_REG_EBP, X86_REG_RBP }, { X86_REG_R8D, X86_REG_R8 },
		{ X86_REG_R9D, X86_REG_R9 }, { X86_REG_R10D, X86_REG_R10 },
		{ X86_REG_R11D, X86_REG_R11 }, { X86_REG_R12D, X86_REG_R12 },
		{ X86_REG_R13D, X86_REG_R13 }, { X86_REG_R14D, X86_REG_R14 },
		{ X86_REG_R15D, X86_REG_R15 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (pairs[i][0] == reg)
			return pairs[i][1];
	return reg;
}

static void remember(struct insn *insn)
{
	const cs_x86 *x86 = &insn->one->detail->x86;
	struct past *past = &insn->past[insn->nr_past++ % MAX_BACK];
	const cs_x86_op *from = x86->op_count > 1 ? &x86->operands[1] : NULL;

	memset(past, 0, sizeof(*past));
	past->id = insn->one->id;
	past->next = insn->one->address + insn->one->size;
	if (x86->op_count && x86->operands[0].type == X86_OP_REG &&
	    (x86->operands[0].access & CS_AC_WRITE))
		past->to = wide(x86->operands[0].reg);
	if (from && from->type == X86_OP_REG)
		past->from = from->reg;
	if (from && from->type == X86_OP_MEM) {
		past->has_mem = true;
		past->base = from->mem.base;
		past->index = from->mem.index;
		past->scale = from->mem.scale;
		past->disp = from->mem.disp;
	}
}

/* --- the entry ---------------------------------------------------------- */

static bool is_emulated(csh handle, const cs_insn *one)
{
	const cs_x86 *x86 = &one->detail->x86;

	switch (one->id) {
	case X86_INS_PUSH:
		return x86->operands[0].type == X86_OP_REG && one->size <= 2;
	case X86_INS_CALL:
	case X86_INS_JMP:
		return x86->operands[0].type == X86_OP_IMM;
	case X86_INS_NOP:
		return one->size == 1;
	default:
		return cs_insn_group(handle, one, CS_GRP_JUMP) &&
		       x86->operands[0].type == X86_OP_IMM &&
		       one->id != X86_INS_JCXZ && one->id != X86_INS_JECXZ &&
		       one->id != X86_INS_JRCXZ && one->id != X86_INS_LOOP &&
		       one->id != X86_INS_LOOPE && one->id != X86_INS_LOOPNE;
	}
}

static bool moves_sp(csh handle, const cs_insn *one)
{
	cs_regs read, written;
	uint8_t nr_read, nr_written, i;

	if (cs_regs_access(handle, one, read, &nr_read, written, &nr_written))
		return true;
	for (i = 0; i < nr_written; i++)
		if (written[i] == X86_REG_RSP || written[i] == X86_REG_ESP ||
		    written[i] == X86_REG_SP)
			return true;
	return false;
}

static bool ends_block(csh handle, const cs_insn *one)
{
	return cs_insn_group(handle, one, CS_GRP_JUMP) ||
	       cs_insn_group(handle, one, CS_GRP_CALL) ||
	       cs_insn_group(handle, one, CS_GRP_RET) ||
	       cs_insn_group(handle, one, CS_GRP_INT) || one->id == X86_INS_HLT ||
	       one->id == X86_INS_UD2 || one->id == X86_INS_SYSCALL;
}

static void look_at_first(struct insn *insn)
{
	struct first *first;

	if (insn->is_first_over || insn->nr_first == MAX_FIRST)
		return;
	first = &insn->first[insn->nr_first++];
	first->addr = insn->one->address;
	first->is_emulated = is_emulated(insn->handle, insn->one);
	first->is_jbe = insn->one->id == X86_INS_JBE;
	first->is_push = insn->one->id == X86_INS_PUSH;
	first->is_refused = is_refused(insn->one);
	insn->is_first_over = moves_sp(insn->handle, insn->one) ||
			      ends_block(insn->handle, insn->one);
}

static bool may_be_entry(const struct insn *insn, const struct first *first)
{
	return !first->is_refused &&
	       (first == insn->first || first->is_push || !insn->jumps_anywhere);
}

/*
 * A function of Go begins by asking whether its stack has room, and jumps back to its
 * first instruction once it has been given more: that jbe is left behind once a call.
 * The kernel emulates it, which is as well: on 7.3 the signals that Go interrupts its
 * threads with and single steps do not go together.
 */
static bool enter_at_check(struct insn *insn)
{
	const struct first *last = &insn->first[insn->nr_first ? insn->nr_first - 1 : 0];

	if (!insn->file->is_go || !insn->nr_first || !last->is_jbe ||
	    insn->is_target[last->addr - insn->range->addr])
		return false;
	insn->plan->entry = last->addr;
	insn->plan->is_check = true;
	return true;
}

/*
 * A turn of the loop is told from a call by the frame that is open: it has the same
 * stack pointer. Not where a callee may leave that frame behind, by an exception.
 */
static void enter_loop(struct insn *insn)
{
	if (insn->calls || !insn->nr_first || insn->first[0].is_refused)
		insn->plan->no_entry = "its first instruction is the head of a loop";
	else
		insn->plan->is_loop = true;
}

static void choose_entry(struct insn *insn)
{
	const struct first *first, *end = insn->first + insn->nr_first, *best = NULL;

	insn->plan->entry = insn->range->addr;
	if (insn->is_target[0]) {
		if (!enter_at_check(insn))
			enter_loop(insn);
		return;
	}
	for (first = insn->first; first < end && !(best && best->is_emulated); first++) {
		if (insn->is_target[first->addr - insn->range->addr])
			break;
		if (may_be_entry(insn, first) && (!best || first->is_emulated))
			best = first;
	}
	if (best && insn->file->is_go && !best->is_emulated)
		insn->plan->no_entry = "it is of Go, whose signals may be disturbed by a single step of its first instruction";
	else if (best)
		insn->plan->entry = best->addr;
	/* Later ones may have used the registers of arguments for something else. */
	if (insn->nr_first && !insn->first->is_refused && !insn->file->is_go)
		insn->plan->args_entry = insn->first->addr;
	if (!best && insn->nr_first)
		insn->plan->no_entry = "the kernel takes no probe on its first instruction (lock prefix or AVX)";
}

/* --- walking ------------------------------------------------------------ */

static bool is_conditional(const cs_insn *one)
{
	return one->id != X86_INS_JMP && one->id != X86_INS_LJMP;
}

/* The low nibble of the last opcode byte of a jcc. */
static bool condition_of(const cs_insn *one, uint8_t *cc)
{
	const uint8_t *opcode = one->detail->x86.opcode;

	if (opcode[0] == 0x0f && (opcode[1] & 0xf0) == 0x80) {
		*cc = opcode[1] & 15;
		return true;
	}
	*cc = opcode[0] & 15;
	return (opcode[0] & 0xf0) == 0x70;
}

static void see_direct_jump(struct insn *insn, uint64_t target)
{
	struct ktrace_exit *exit;
	uint8_t cc;

	if (is_inside(insn->range, target)) {
		mark_target(insn, target);
		return;
	}
	if (!is_conditional(insn->one)) {
		add_exit(insn, KTRACE_EXIT_JMP);
		return;
	}
	if (!condition_of(insn->one, &cc)) {
		insn->plan->no_return = "a loop or jrcxz instruction leaves it";
		return;
	}
	exit = add_exit(insn, KTRACE_EXIT_JCC);
	if (exit)
		exit->cc = cc;
}

static void see(struct insn *insn)
{
	const cs_insn *one = insn->one;
	const cs_x86_op *op = &one->detail->x86.operands[0];

	insn->calls |= cs_insn_group(insn->handle, one, CS_GRP_CALL);
	if (cs_insn_group(insn->handle, one, CS_GRP_RET)) {
		if (one->id == X86_INS_RET)
			add_return(insn, op);
		else
			insn->plan->no_return = "it ends with a far or interrupt return";
	} else if (cs_insn_group(insn->handle, one, CS_GRP_JUMP)) {
		if (op->type == X86_OP_IMM)
			see_direct_jump(insn, op->imm);
		else if (one->id != X86_INS_JMP)
			insn->plan->no_return = "it contains a far jump";
		else if (!is_table_jump(insn, op))
			add_indirect(insn, op);
	}
}

/* May control run on behind this instruction? A call may not come back. */
static bool runs_on(const struct insn *insn)
{
	const cs_insn *one = insn->one;

	if (cs_insn_group(insn->handle, one, CS_GRP_CALL) || one->id == X86_INS_HLT ||
	    one->id == X86_INS_UD2 || cs_insn_group(insn->handle, one, CS_GRP_RET) ||
	    one->id == X86_INS_NOP || one->id == X86_INS_INT3)
		return false;
	return !cs_insn_group(insn->handle, one, CS_GRP_JUMP) || is_conditional(one);
}

static void walk(struct insn *insn, uint64_t addr, uint64_t len, bool is_hot)
{
	const uint8_t *code = elf_file_bytes(insn->file, addr, len);
	size_t left = len;

	if (!code) {
		insn->plan->no_return = "its code is not in the file";
		return;
	}
	insn->nr_past = 0;
	while (left) {
		if (!cs_disasm_iter(insn->handle, &code, &left, &addr, insn->one)) {
			insn->plan->no_return = "an instruction is not known";
			return;
		}
		if (is_hot)
			look_at_first(insn);
		see(insn);
		remember(insn);
	}
	if (runs_on(insn))
		insn->plan->no_return = "it runs on into the next function";
}

static void start(struct insn *insn, const struct elf_file *file,
		  const struct insn_range *range, struct insn_plan *plan)
{
	insn->file = file;
	insn->range = range;
	insn->plan = plan;
	insn->nr_first = 0;
	insn->is_first_over = false;
	insn->jumps_anywhere = false;
	insn->calls = false;
	insn->is_spent = false;
	if (range->len > insn->targets_len) {
		free(insn->is_target);
		insn->is_target = mem_alloc(range->len);
		insn->targets_len = range->len;
	} else {
		memset(insn->is_target, 0, range->len);
	}
}

static void plan_places(struct insn *insn, const struct elf_file *file,
			const struct insn_range *range, struct insn_plan *plan)
{
	start(insn, file, range, plan);
	walk(insn, range->addr, range->len, true);
	if (range->cold_len)
		walk(insn, range->cold_addr, range->cold_len, false);
	choose_entry(insn);
	if (!plan->nr_exits && !plan->no_return)
		plan->no_return = "it has no exit: it never returns";
}

void insn_plan(struct insn *insn, const struct elf_file *file,
	       const struct insn_range *range, struct insn_plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	/* Before memory of that length is taken. */
	if (!elf_file_bytes(file, range->addr, range->len) ||
	    (range->cold_len && !elf_file_bytes(file, range->cold_addr, range->cold_len))) {
		plan->no_entry = "its code is not in the file";
		return;
	}
	if (range->len + range->cold_len <= range->budget) {
		plan->nr_read = range->len + range->cold_len;
		plan_places(insn, file, range, plan);
		if (!insn->is_spent)
			return;
	}
	plan->no_entry = "its file's functions overlap, or their jump tables do, more than a compiler's";
}

#define MAX_INSN 15

uint64_t insn_start(struct insn *insn, const struct elf_file *file, uint64_t first,
		    uint64_t addr)
{
	uint64_t len = addr - first + MAX_INSN;
	const uint8_t *code;
	size_t left;

	/* The last instruction may lie at the end of the code. */
	while (!(code = elf_file_bytes(file, first, len)))
		if (--len <= addr - first)
			return UINT64_MAX;
	for (left = len; cs_disasm_iter(insn->handle, &code, &left, &first, insn->one);)
		if (first > addr)
			return insn->one->address;
	return UINT64_MAX;
}
