/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CFI_H
#define CFI_H

#include <uapi/ktrace_unwind.h>

#include "elf/eh_frame.h"

#define CFI_MAX_REMEMBERED 32	/* states; compilers keep one */

#define CFI_IN_REGISTER KTRACE_UNWIND_NR_REGS	/* the one whose number is offset */

/* Where a caller's register is. */
struct cfi_reg {
	uint8_t how;		/* KTRACE_UNWIND_REG_*; the return address may be CFI_IN_REGISTER */
	int64_t offset;
};

enum {
	CFI_RBX,
	CFI_RBP,
	CFI_RSP,
	CFI_RIP,		/* the return address */
	CFI_NR_REGS
};

/* What is known about the caller of a function at one of its instructions. */
struct cfi_state {
	uint8_t cfa;		/* KTRACE_UNWIND_CFA_* */
	uint64_t cfa_reg;	/* its number in DWARF: with CFA_RSP, cfa is it + cfa_offset */
	int64_t cfa_offset;
	uint64_t cfa_add;
	struct cfi_reg regs[CFI_NR_REGS];
};

/* Runs the program of a CIE. Returns false if it is invalid. */
bool cfi_begin(struct cfi_state *initial, const struct eh_cie *cie);

/* A rule that holds from an instruction of a function on, at begin + at. */
typedef void (*cfi_row)(void *arg, uint64_t at, const struct ktrace_unwind_rule *rule);

/*
 * Runs the program of a function, and passes on rules in the order of addresses, the first one for
 * the first instruction. The time is bounded by the program's length. If the program is invalid,
 * the last rule is KTRACE_UNWIND_CFA_COMPLEX.
 */
void cfi_run(const struct cfi_state *initial, const struct eh_cie *cie, const struct eh_fde *fde,
	     cfi_row row, void *arg);

#endif
