/* SPDX-License-Identifier: GPL-2.0 */
#ifndef DECODER_H
#define DECODER_H

#include <capstone/capstone.h>

#include "util/err.h"

/*
 * Capstone, which decodes instructions. decoder_loaded.c loads it when the first function is
 * decoded, because most commands decode none and relocating it takes longer than the rest of their
 * start. decoder_linked.c is for a static binary.
 */
#define DECODER_FUNCTIONS(ONE) \
	ONE(cs_open) ONE(cs_close) ONE(cs_option) ONE(cs_malloc) ONE(cs_free) \
	ONE(cs_disasm_iter) ONE(cs_insn_group) ONE(cs_reg_name) ONE(cs_regs_access)

#define DECODER_MEMBER(name) __typeof__(name) *name;
extern struct decoder {
	DECODER_FUNCTIONS(DECODER_MEMBER)
} decoder;
#undef DECODER_MEMBER

/* Makes the functions of decoder usable. Returns 0, or -1 with err set. */
int decoder_open(struct err *err);

#endif
