// SPDX-License-Identifier: GPL-2.0
/* Runs the programs of .eh_frame, which describe how a frame changes between instructions. */
#include <limits.h>
#include <string.h>

#include "elf/cfi.h"
#include "elf/cfi_ops.h"

/* Registers as DWARF numbers them. */
#define RBX 3
#define RBP 6
#define RSP 7
#define RIP 16

#define UCONTEXT_RSP 160
#define UCONTEXT_RIP 168

/* The rule of the procedure linkage table; the number in it is added to OP_lit0. */
static const uint8_t plt[] = { OP_breg7, 8, OP_breg16, 0, OP_lit15, OP_and,
			       OP_lit0, OP_ge, OP_lit3, OP_shl, OP_plus };
#define PLT_NUMBER 6

/* In front is rsp + the place of a word; an index that is a register is added: OP_breg0 and 0. */
static const uint8_t indexed[] = { 0, OP_lit8, OP_mul, OP_plus, OP_deref, OP_plus_uconst, 8 };

struct run {
	struct cfi_state now;
	const struct cfi_state *initial;
	const struct eh_cie *cie;
	const struct eh_fde *fde;	/* NULL: the program of the CIE */
	uint64_t at;			/* how far behind the begin of the function */
	cfi_row row;
	void *arg;
	struct cfi_state *remembered;	/* CFI_MAX_REMEMBERED */
	unsigned int nr_remembered;
};

/* --- rules ----------------------------------------------------------------- */

static uint8_t cfa_of(const struct cfi_state *state)
{
	if (state->cfa != KTRACE_UNWIND_CFA_RSP)
		return state->cfa;
	switch (state->cfa_reg) {
	case RSP:
		return KTRACE_UNWIND_CFA_RSP;
	case RBP:
		return KTRACE_UNWIND_CFA_RBP;
	case RBX:
		return KTRACE_UNWIND_CFA_RBX;
	default:
		return state->cfa_reg < KTRACE_UNWIND_NR_OTHERS ? KTRACE_UNWIND_CFA_OTHER :
								  KTRACE_UNWIND_CFA_COMPLEX;
	}
}

/* The function has taken its return address from the stack. */
static bool is_return(const struct cfi_state *state)
{
	const struct cfi_reg *rip = &state->regs[CFI_RIP];

	return rip->how == CFI_IN_REGISTER && rip->offset < KTRACE_UNWIND_NR_OTHERS &&
	       cfa_of(state) == KTRACE_UNWIND_CFA_RSP;
}

static uint8_t reg_of(const struct cfi_reg *reg, int16_t *offset)
{
	if (reg->how < KTRACE_UNWIND_REG_CFA)
		return reg->how;
	if (reg->offset < INT16_MIN || reg->offset > INT16_MAX)
		return KTRACE_UNWIND_REG_LOST;
	*offset = reg->offset;
	return reg->how;
}

static bool is_signal(const struct cfi_state *state, const struct eh_cie *cie)
{
	const struct cfi_reg *rip = &state->regs[CFI_RIP];

	return cie->is_signal && state->cfa == KTRACE_UNWIND_CFA_AT_RSP &&
	       state->cfa_offset == UCONTEXT_RSP && !state->cfa_add &&
	       rip->how == KTRACE_UNWIND_REG_RSP && rip->offset == UCONTEXT_RIP;
}

static uint8_t kind_of(const struct cfi_state *state, const struct eh_cie *cie)
{
	const struct cfi_reg *rip = &state->regs[CFI_RIP];

	if (rip->how == KTRACE_UNWIND_REG_LOST)
		return KTRACE_UNWIND_CFA_END;
	if (is_signal(state, cie))
		return KTRACE_UNWIND_CFA_SIGNAL;
	if (cie->is_signal || state->regs[CFI_RSP].how != KTRACE_UNWIND_REG_SAME ||
	    state->cfa_add > UINT8_MAX || state->cfa_offset < INT32_MIN ||
	    state->cfa_offset > INT32_MAX)
		return KTRACE_UNWIND_CFA_COMPLEX;
	if (is_return(state))
		return KTRACE_UNWIND_CFA_RETURN;
	return rip->how == KTRACE_UNWIND_REG_CFA && rip->offset == -8 ? cfa_of(state) :
									KTRACE_UNWIND_CFA_COMPLEX;
}

static void rule_of(struct ktrace_unwind_rule *rule, const struct cfi_state *state,
		    const struct eh_cie *cie)
{
	memset(rule, 0, sizeof(*rule));
	rule->cfa = kind_of(state, cie);
	if (rule->cfa <= KTRACE_UNWIND_CFA_SIGNAL)
		return;
	rule->cfa_offset = state->cfa_offset;
	rule->cfa_add = state->cfa_add;
	if (rule->cfa == KTRACE_UNWIND_CFA_OTHER)
		rule->cfa_add = state->cfa_reg;
	if (rule->cfa == KTRACE_UNWIND_CFA_RETURN)
		rule->cfa_add = state->regs[CFI_RIP].offset;
	rule->rbp = reg_of(&state->regs[CFI_RBP], &rule->rbp_offset);
	rule->rbx = reg_of(&state->regs[CFI_RBX], &rule->rbx_offset);
}

static void emit(const struct run *run)
{
	struct ktrace_unwind_rule rule;

	if (!run->fde || run->at >= run->fde->len)
		return;
	rule_of(&rule, &run->now, run->cie);
	run->row(run->arg, run->at, &rule);
}

static bool advance(struct run *run, uint64_t by)
{
	if (!run->fde)
		return false;
	if (by)
		emit(run);
	run->at += by;
	/* What follows is behind the function. */
	return run->at < run->fde->len;
}

/* --- expressions ----------------------------------------------------------- */

static struct eh_cursor expression(struct eh_cursor *cursor)
{
	return eh_cursor_part(cursor, eh_cursor_unsigned(cursor));
}

static bool is_plt(const struct eh_cursor *block)
{
	uint8_t bytes[sizeof(plt)];

	if (block->end - block->at != sizeof(plt))
		return false;
	memcpy(bytes, block->at, sizeof(plt));
	if (bytes[PLT_NUMBER] < OP_lit0 || bytes[PLT_NUMBER] > OP_lit15)
		return false;
	bytes[PLT_NUMBER] = OP_lit0;
	return !memcmp(bytes, plt, sizeof(plt));
}

/* Reads an expression that begins with rsp or rbp + offset. */
static bool read_base(struct eh_cursor *block, uint64_t *reg, int64_t *offset)
{
	uint64_t op = eh_cursor_number(block, 1);

	*reg = op - OP_breg0;
	*offset = eh_cursor_signed(block);
	return !block->is_bad && (*reg == RSP || *reg == RBP);
}

/* The index of the indexed word behind rsp is the register op - OP_breg0. */
static bool is_indexed(const struct eh_cursor *block, uint64_t reg, uint8_t op)
{
	return reg == RSP && op >= OP_breg0 && op <= OP_breg15 &&
	       block->end - block->at == sizeof(indexed) &&
	       !memcmp(block->at, indexed, sizeof(indexed));
}

static void set_cfa_expression(struct cfi_state *state, struct eh_cursor block)
{
	uint64_t reg;
	uint8_t op;

	state->cfa = KTRACE_UNWIND_CFA_COMPLEX;
	state->cfa_add = 0;
	if (is_plt(&block)) {
		state->cfa = KTRACE_UNWIND_CFA_PLT;
		state->cfa_offset = block.at[PLT_NUMBER] - OP_lit0;
		return;
	}
	if (!read_base(&block, &reg, &state->cfa_offset))
		return;
	op = eh_cursor_number(&block, 1);
	if (is_indexed(&block, reg, op)) {
		state->cfa = KTRACE_UNWIND_CFA_AT_INDEX;
		state->cfa_add = op - OP_breg0;
		return;
	}
	if (op != OP_deref)
		return;
	if (block.at < block.end) {
		if (eh_cursor_number(&block, 1) != OP_plus_uconst)
			return;
		state->cfa_add = eh_cursor_unsigned(&block);
	}
	if (block.at == block.end && !block.is_bad)
		state->cfa = reg == RSP ? KTRACE_UNWIND_CFA_AT_RSP : KTRACE_UNWIND_CFA_AT_RBP;
}

static struct cfi_reg place_of(struct eh_cursor block)
{
	struct cfi_reg place = { .how = KTRACE_UNWIND_REG_LOST };
	uint64_t reg;

	if (read_base(&block, &reg, &place.offset) && block.at == block.end)
		place.how = reg == RSP ? KTRACE_UNWIND_REG_RSP : KTRACE_UNWIND_REG_RBP;
	return place;
}

/* --- instructions ---------------------------------------------------------- */

/* Returns the index of a register, or CFI_NR_REGS if callers do not need it. */
static unsigned int index_of(uint64_t nr)
{
	switch (nr) {
	case RBX:
		return CFI_RBX;
	case RBP:
		return CFI_RBP;
	case RSP:
		return CFI_RSP;
	case RIP:
		return CFI_RIP;
	default:
		return CFI_NR_REGS;
	}
}

static bool set_reg(struct run *run, uint64_t nr, struct cfi_reg value)
{
	unsigned int i = index_of(nr);

	if (i < CFI_NR_REGS)
		run->now.regs[i] = value;
	return true;
}

static bool set_how(struct run *run, uint64_t nr, uint8_t how)
{
	return set_reg(run, nr, (struct cfi_reg){ .how = how });
}

/*
 * A register whose place cannot be expressed. The return address must not look like the one of the
 * outermost function, for which it is lost, too.
 */
static bool set_complex(struct run *run, uint64_t nr)
{
	return set_how(run, nr, nr == RIP ? KTRACE_UNWIND_REG_SAME : KTRACE_UNWIND_REG_LOST);
}

/* Numbers that are too large wrap around. */
static int64_t factored(const struct run *run, uint64_t number)
{
	return number * (uint64_t)run->cie->data_align;
}

static bool set_offset(struct run *run, uint64_t nr, uint64_t number)
{
	return set_reg(run, nr, (struct cfi_reg){ .how = KTRACE_UNWIND_REG_CFA,
						  .offset = factored(run, number) });
}

static bool set_place(struct run *run, uint64_t nr, struct eh_cursor block)
{
	struct cfi_reg place = place_of(block);

	return place.how == KTRACE_UNWIND_REG_LOST ? set_complex(run, nr) : set_reg(run, nr, place);
}

static bool set_in_register(struct run *run, uint64_t nr, uint64_t other)
{
	return nr == RIP && other < KTRACE_UNWIND_NR_OTHERS ?
	       set_reg(run, nr, (struct cfi_reg){ .how = CFI_IN_REGISTER, .offset = other }) :
	       set_complex(run, nr);
}

static bool restore(struct run *run, uint64_t nr)
{
	unsigned int i = index_of(nr);

	if (run->initial && i < CFI_NR_REGS)
		run->now.regs[i] = run->initial->regs[i];
	return run->initial;
}

static bool set_cfa(struct run *run, uint64_t reg, int64_t offset)
{
	run->now.cfa = KTRACE_UNWIND_CFA_RSP;
	run->now.cfa_reg = reg;
	run->now.cfa_offset = offset;
	run->now.cfa_add = 0;
	return true;
}

static bool set_cfa_reg(struct run *run, uint64_t reg)
{
	return run->now.cfa == KTRACE_UNWIND_CFA_RSP &&
	       set_cfa(run, reg, run->now.cfa_offset);
}

static bool set_cfa_offset(struct run *run, int64_t offset)
{
	return run->now.cfa == KTRACE_UNWIND_CFA_RSP && set_cfa(run, run->now.cfa_reg, offset);
}

static bool keep_state(struct run *run)
{
	if (run->nr_remembered == CFI_MAX_REMEMBERED)
		return false;
	run->remembered[run->nr_remembered++] = run->now;
	return true;
}

static bool restore_state(struct run *run)
{
	if (!run->nr_remembered)
		return false;
	run->now = run->remembered[--run->nr_remembered];
	return true;
}

static bool set_location(struct run *run, struct eh_cursor *cursor)
{
	uint64_t addr = eh_cursor_pointer(cursor, run->cie->encoding, 0);

	return run->fde && addr - run->fde->begin >= run->at &&
	       advance(run, addr - run->fde->begin - run->at);
}

/* Executes an instruction that is a whole byte. Returns false to end the program. */
static bool execute_long(struct run *run, uint8_t op, struct eh_cursor *cursor)
{
	uint64_t nr;

	switch (op) {
	case CFA_nop:
		return true;
	case CFA_set_loc:
		return set_location(run, cursor);
	case CFA_advance_loc1:
		return advance(run, eh_cursor_number(cursor, 1) * run->cie->code_align);
	case CFA_advance_loc2:
		return advance(run, eh_cursor_number(cursor, 2) * run->cie->code_align);
	case CFA_advance_loc4:
		return advance(run, eh_cursor_number(cursor, 4) * run->cie->code_align);
	case CFA_remember_state:
		return keep_state(run);
	case CFA_restore_state:
		return restore_state(run);
	case CFA_GNU_args_size:
		eh_cursor_unsigned(cursor);
		return true;
	case CFA_def_cfa_offset:
		return set_cfa_offset(run, eh_cursor_unsigned(cursor));
	case CFA_def_cfa_offset_sf:
		return set_cfa_offset(run, factored(run, eh_cursor_signed(cursor)));
	case CFA_def_cfa_expression:
		set_cfa_expression(&run->now, expression(cursor));
		return true;
	}
	nr = eh_cursor_unsigned(cursor);
	switch (op) {
	case CFA_offset_extended:
		return set_offset(run, nr, eh_cursor_unsigned(cursor));
	case CFA_offset_extended_sf:
		return set_offset(run, nr, eh_cursor_signed(cursor));
	case CFA_GNU_negative_offset_extended:
		return set_offset(run, nr, -eh_cursor_unsigned(cursor));
	case CFA_restore_extended:
		return restore(run, nr);
	case CFA_undefined:
		return set_how(run, nr, KTRACE_UNWIND_REG_LOST);
	case CFA_same_value:
		return set_how(run, nr, KTRACE_UNWIND_REG_SAME);
	case CFA_def_cfa:
		return set_cfa(run, nr, eh_cursor_unsigned(cursor));
	case CFA_def_cfa_sf:
		return set_cfa(run, nr, factored(run, eh_cursor_signed(cursor)));
	case CFA_def_cfa_register:
		return set_cfa_reg(run, nr);
	case CFA_expression:
		return set_place(run, nr, expression(cursor));
	case CFA_val_expression:
		expression(cursor);
		return set_complex(run, nr);
	case CFA_register:
		return set_in_register(run, nr, eh_cursor_unsigned(cursor));
	case CFA_val_offset:
	case CFA_val_offset_sf:
		eh_cursor_unsigned(cursor);
		return set_complex(run, nr);
	default:
		return false;
	}
}

static bool execute(struct run *run, struct eh_cursor *cursor)
{
	uint8_t op = eh_cursor_number(cursor, 1), low = op & 0x3f;

	switch (op & 0xc0) {
	case CFA_advance_loc:
		return advance(run, low * run->cie->code_align);
	case CFA_offset:
		return set_offset(run, low, eh_cursor_unsigned(cursor));
	case CFA_restore:
		return restore(run, low);
	default:
		return execute_long(run, op, cursor);
	}
}

/* Returns true if the whole program was executed. */
static bool execute_all(struct run *run, struct eh_cursor cursor)
{
	while (cursor.at < cursor.end)
		if (!execute(run, &cursor) || cursor.is_bad)
			return false;
	return true;
}

/* --- programs -------------------------------------------------------------- */

bool cfi_begin(struct cfi_state *initial, const struct eh_cie *cie)
{
	struct cfi_state remembered[CFI_MAX_REMEMBERED];
	struct run run = { .cie = cie, .now = { .cfa = KTRACE_UNWIND_CFA_COMPLEX },
			   .remembered = remembered };
	bool is_valid = execute_all(&run, cie->program);
	*initial = run.now;
	return is_valid;
}

void cfi_run(const struct cfi_state *initial, const struct eh_cie *cie, const struct eh_fde *fde,
	     cfi_row row, void *arg)
{
	struct cfi_state remembered[CFI_MAX_REMEMBERED];
	struct run run = { .now = *initial, .initial = initial, .cie = cie, .fde = fde, .row = row,
			   .arg = arg, .remembered = remembered };

	if (!execute_all(&run, fde->program) && run.at < fde->len)
		run.now.cfa = KTRACE_UNWIND_CFA_COMPLEX;
	emit(&run);
}
