// SPDX-License-Identifier: GPL-2.0
/*
 * Instructions. After four numbers of 16 bits (start and length of a function and of its cold part)
 * and flags come the bytes of a segment, with code and jump tables.
 */
#include "fuzz.h"

#include "../../user/plan/insn.h"

#define BASE 0x400000

static bool is_within(uint64_t addr, uint64_t start, uint64_t len)
{
	return addr - start < len;
}

static void check(const struct insn_range *range, const struct insn_plan *plan)
{
	unsigned int i;

	must(plan->no_entry || is_within(plan->entry, range->addr, range->len));
	must(!plan->args_entry || is_within(plan->args_entry, range->addr, range->len));
	must(plan->nr_exits <= KTRACE_MAX_EXITS);
	for (i = 0; i < plan->nr_exits; i++)
		must(is_within(plan->exits[i].offset, range->addr, range->len) ||
		     is_within(plan->exits[i].offset, range->cold_addr, range->cold_len));
}

/* No header is read. */
static void begin_file(struct elf_file *file, struct elf_segment *segment, uint8_t *image,
		       size_t len)
{
	memset(file, 0, sizeof(*file));
	segment->addr = BASE;
	segment->len = len;
	segment->is_code = true;
	segment->is_read = true;
	segment->bytes = image;
	file->segments = segment;
	file->nr_segments = 1;
}

static void plan_one(struct insn *insn, struct input *input)
{
	uint64_t addr = BASE + take(input, 2), len = take(input, 2) + 1;
	uint64_t cold_addr = BASE + take(input, 2), cold_len = take(input, 2), start, at;
	struct insn_range range = { addr, len, cold_addr, cold_len, 1 << 20 };
	bool is_go = take(input, 1) & 1;
	struct elf_segment segment;
	struct insn_plan plan;
	struct elf_file file;
	uint8_t *image = calloc(1, input->left + 1);

	begin_file(&file, &segment, image, input->left);
	memcpy(image, input->at, input->left);
	file.is_go = is_go;
	insn_plan(insn, &file, &range, &plan);
	if (!plan.no_entry || strcmp(plan.no_entry, "its code is not in the file"))
		check(&range, &plan);
	at = addr + len / 2;
	start = insn_start(insn, &file, addr, at);
	must(start == UINT64_MAX || (start >= addr && start <= at));
	free(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct insn *insn;
	struct input input = { data, len };
	struct err err;

	if (!insn)
		insn = insn_open(&err);
	must(insn);
	plan_one(insn, &input);
	return 0;
}
