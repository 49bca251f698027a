// SPDX-License-Identifier: GPL-2.0
/*
 * The compiler of .eh_frame, and the code of the module that uses its tables. The first byte says
 * whether the rest is .eh_frame, or a table as the module gets it.
 */
#include "fuzz.h"

#include "eh_file.h"

#include "../../kmod/core/unwind_step.c"
#include "../../kmod/core/unwind_table.c"
#include "../../user/elf/unwind.h"
#include "../../user/util/effort.h"

#define CODE_LEN 0x12000UL	/* two pages of a table */
#define NR_STEPS 32

/* --- stepping -------------------------------------------------------------- */

/* Words of a stack, and how many reads a step may still do. */
struct stack {
	const uint8_t *bytes;
	size_t len;
	unsigned int left;
};

static bool read_stack(void *arg, u64 addr, void *to, unsigned int len)
{
	struct stack *stack = arg;

	must(stack->left-- && len && len <= 64);
	if (addr % 4096 > stack->len || len > stack->len - addr % 4096)
		return false;
	memcpy(to, stack->bytes + addr % 4096, len);
	return true;
}

static void take_steps(const struct kt_unwind_table *table, const uint8_t *bytes, size_t len)
{
	struct stack stack = { .bytes = bytes, .len = len };
	unsigned long first[20] = { len, 1, 64 };
	struct kt_unwind_regs regs = { .first = first, .all_at = KT_UNWIND_FIRST_ALL, .ip = len, .sp = 64, .bp = 128, .bx = 256, .has_bp = true,
				       .has_bx = true, .is_exact = true }, old;
	enum kt_unwind_result result;
	unsigned int i;

	for (i = 0; i < NR_STEPS; i++) {
		stack.left = 4;
		old = regs;
		result = kt_unwind_step(&regs, kt_unwind_table_find(table, kt_unwind_place(&regs)),
					read_stack, &stack);
		if (result == KT_UNWIND_NEXT)
			continue;
		must(!memcmp(&old, &regs, sizeof(regs)));
		break;
	}
}

/* --- tables ---------------------------------------------------------------- */

/* Each row is found from its first offset to its last one. */
static void find_rows(const struct kt_unwind_table *table)
{
	const struct ktrace_unwind_rule *rule, *before = &unwind_table_none;
	u32 page, i;
	u64 offset;

	for (page = 0; page < table->nr_pages; page++)
		for (i = table->pages[page]; i < table->pages[page + 1]; i++) {
			offset = (u64)(table->first_page + page) << KTRACE_UNWIND_PAGE_BITS |
				 table->rows[i].low;
			rule = &table->rules[table->rows[i].rule];
			must(kt_unwind_table_find(table, offset) == rule);
			must(!offset || kt_unwind_table_find(table, offset - 1) == before);
			before = rule;
		}
}

static void use_table(const void *bytes, size_t len, const uint8_t *stack, size_t stack_len,
		      bool is_own)
{
	struct kt_unwind_table table;
	bool is_good = kt_unwind_table_open(&table, bytes, len);

	must(is_good || !is_own);
	if (!is_good)
		return;
	find_rows(&table);
	take_steps(&table, stack, stack_len);
}

static void compile(const uint8_t *frame, size_t len)
{
	struct unwind unwind;
	struct elf_file file;
	struct err err;

	must(!elf_file_take(&file, eh_file_make(frame, len, CODE_LEN), "fuzz", &err));
	if (unwind_compile(&unwind, &file, &err))
		must(!unwind.table && strlen(err.text) > 40);
	else
		use_table(unwind.table, unwind.len, frame, len, true);
	unwind_free(&unwind);
	elf_file_close(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	void *copy;

	/* they are for one command */
	effort_limits.ns = effort_limits.memory = 1ULL << 60;
	if (!len)
		return 0;
	if (data[0] == 'e') {
		compile(data + 1, len - 1);
		return 0;
	}
	copy = malloc(len);
	memcpy(copy, data + 1, len - 1);
	use_table(copy, len - 1, data, len, false);
	free(copy);
	return 0;
}
