// SPDX-License-Identifier: GPL-2.0
/* Stubs of the linker (.plt and similar sections), through which a file jumps to its imports. */
#include "plan/insn_parts.h"

#define STUB_LEN 16	/* psABI: an entry of .plt, .plt.sec or .plt.got */

static bool is_jump_by_slot(const cs_insn *one, uint64_t *slot)
{
	const cs_x86_op *op = &one->detail->x86.operands[0];

	if (one->id != X86_INS_JMP || op->type != X86_OP_MEM ||
	    op->mem.base != X86_REG_RIP || op->mem.index != X86_REG_INVALID)
		return false;
	*slot = one->address + one->size + op->mem.disp;
	return true;
}

bool insn_is_stub(struct insn *insn, uint64_t addr, uint64_t *slot)
{
	const uint8_t *code = elf_file_bytes(insn->file, addr, STUB_LEN);
	size_t left = STUB_LEN;

	/* Code with a symbol is a function, even if it looks like a stub. */
	if (!code || elf_file_sym_at(insn->file, addr))
		return false;
	if (!decoder.cs_disasm_iter(insn->handle, &code, &left, &addr, insn->other))
		return false;
	if (insn->other->id == X86_INS_ENDBR64 &&
	    !decoder.cs_disasm_iter(insn->handle, &code, &left, &addr, insn->other))
		return false;
	return is_jump_by_slot(insn->other, slot);
}
