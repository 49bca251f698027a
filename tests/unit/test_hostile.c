// SPDX-License-Identifier: GPL-2.0
/* Files that were made to cost their reader very much: test_hostile FOLDER. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <elf.h>

#include "../../user/mem.h"
#include "../../user/plan.h"

#define TEXT_LEN (4UL << 20)
#define TEXT_ADDR 0x10000UL
#define SECONDS 20	/* with the sanitizers, on a busy machine; unbounded work takes hours */

static const char *folder;

/* --- files --------------------------------------------------------------- */

struct file {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	Elf64_Shdr sections[3];	/* none, symbols, strings */
	uint8_t text[TEXT_LEN];
	char strings[16];
};

/* Strings: 1 is "f", 3 is "f.cold". */
static struct file *create(size_t nr_syms)
{
	struct file *file = mem_alloc(sizeof(*file));

	file->header = (Elf64_Ehdr) {
		.e_ident = ELFMAG, .e_type = ET_DYN, .e_machine = EM_X86_64,
		.e_version = EV_CURRENT, .e_ehsize = sizeof(Elf64_Ehdr),
		.e_phoff = offsetof(struct file, segment), .e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1, .e_shoff = offsetof(struct file, sections),
		.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3,
	};
	file->header.e_ident[EI_CLASS] = ELFCLASS64;
	file->header.e_ident[EI_DATA] = ELFDATA2LSB;
	file->header.e_ident[EI_VERSION] = EV_CURRENT;
	file->segment = (Elf64_Phdr) {
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = TEXT_ADDR,
		.p_offset = offsetof(struct file, text), .p_filesz = TEXT_LEN,
		.p_memsz = TEXT_LEN,
	};
	file->sections[1] = (Elf64_Shdr) {
		.sh_type = SHT_SYMTAB, .sh_offset = sizeof(*file), .sh_link = 2,
		.sh_size = nr_syms * sizeof(Elf64_Sym), .sh_entsize = sizeof(Elf64_Sym),
	};
	file->sections[2] = (Elf64_Shdr) {
		.sh_type = SHT_STRTAB, .sh_offset = offsetof(struct file, strings),
		.sh_size = sizeof(file->strings),
	};
	memcpy(file->strings, "\0f\0f.cold", 10);
	memset(file->text, 0x90, sizeof(file->text));
	return file;
}

static Elf64_Sym symbol(unsigned int name, uint64_t at, uint64_t len)
{
	Elf64_Sym sym = {
		.st_name = name, .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC), .st_shndx = 1,
		.st_value = TEXT_ADDR + at, .st_size = len,
	};

	return sym;
}

/* Takes both. Plans all of it; returns how many functions are probed. */
static size_t plan_file(struct file *file, Elf64_Sym *syms, struct plan *plan)
{
	struct plan_options options = { .how = PLAN_RETURN_AUTO };
	char *path = mem_format("%s/hostile", folder);
	FILE *out = fopen(path, "wb");
	struct err err = { "" };

	assert_non_null(out);
	fwrite(file, sizeof(*file), 1, out);
	fwrite(syms, file->sections[1].sh_size, 1, out);
	assert_int_equal(fclose(out), 0);
	free(file);
	free(syms);
	alarm(SECONDS);
	if (plan_make(plan, path, &options, &err))
		fail_msg("%s", err.text);
	alarm(0);
	free(path);
	return plan->nr_probed;
}

static const char *why_left_out(const struct plan *plan)
{
	assert_true(plan->nr_probed < plan->nr_funcs);
	return plan->funcs[plan->nr_probed].left_out;
}

/* --- what they do -------------------------------------------------------- */

#define NR_NESTED 8000

/* Each function holds all that follow; those that are left out are too long. */
static void test_nested_functions(void **state)
{
	Elf64_Sym *syms = mem_alloc(NR_NESTED * sizeof(*syms));
	struct file *file = create(NR_NESTED);
	struct plan plan;
	size_t i;

	(void)state;
	for (i = 0; i < NR_NESTED; i++)
		syms[i] = symbol(1, i * (TEXT_LEN / NR_NESTED), TEXT_LEN - i * (TEXT_LEN / NR_NESTED));
	assert_in_range(plan_file(file, syms, &plan), 1, NR_NESTED - 1);
	assert_non_null(strstr(why_left_out(&plan), "overlap"));
	/* the innermost one is nobody's fault */
	assert_int_equal(plan.funcs[plan.nr_probed - 1].addr,
			 TEXT_ADDR + (NR_NESTED - 1) * (TEXT_LEN / NR_NESTED));
	plan_free(&plan);
}

#define NR_LOCAL 40000

/* Very many of one name: which cold part is whose? */
static void test_cold_parts_of_one_name(void **state)
{
	Elf64_Sym *syms = mem_alloc(2 * NR_LOCAL * sizeof(*syms));
	struct file *file = create(2 * NR_LOCAL);
	struct plan plan;
	size_t i;

	(void)state;
	for (i = 0; i < NR_LOCAL; i++) {
		syms[2 * i] = symbol(1, 64 * i, 32);
		syms[2 * i + 1] = symbol(3, 64 * i + 32, 32);
		file->text[64 * i + 31] = file->text[64 * i + 63] = 0xc3;
	}
	assert_int_equal(plan_file(file, syms, &plan), NR_LOCAL);
	for (i = 0; i < NR_LOCAL; i++) {
		assert_int_equal(plan.funcs[i].desc.cold_start, plan.funcs[i].desc.end);
		assert_int_equal(plan.funcs[i].desc.nr_exits, 2);
	}
	plan_free(&plan);
}

/* One that all share has the length of the text. */
static void test_one_cold_part(void **state)
{
	Elf64_Sym *syms = mem_alloc((NR_NESTED + 1) * sizeof(*syms));
	struct file *file = create(NR_NESTED + 1);
	struct plan plan;
	size_t i;

	(void)state;
	for (i = 0; i < NR_NESTED; i++)
		syms[i] = symbol(1, i * 16, 16);
	syms[i] = symbol(3, i * 16, TEXT_LEN - i * 16);
	assert_in_range(plan_file(file, syms, &plan), 1, NR_NESTED - 1);
	plan_free(&plan);
}

#define TABLE_LEN (TEXT_LEN / 2)

/* Each jump of a function has one table, half as long as the text. Another suffers nothing. */
static void test_long_tables(void **state)
{
	static const uint8_t jump[16] = {
		0x48, 0x8d, 0x15, 0, 0, 0, 0,	/* lea table(%rip), %rdx */
		0x48, 0x63, 0x04, 0xba,		/* movslq (%rdx, %rdi, 4), %rax */
		0x48, 0x01, 0xd0,		/* add %rdx, %rax */
		0xff, 0xe0,			/* jmp *%rax */
	};
	Elf64_Sym *syms = mem_alloc(2 * sizeof(*syms));
	struct file *file = create(2);
	struct plan plan;
	int32_t distance;
	size_t at;

	(void)state;
	for (at = 0; at < TABLE_LEN; at += sizeof(jump)) {
		distance = TABLE_LEN - (at + 7);
		memcpy(file->text + at, jump, sizeof(jump));
		memcpy(file->text + at + 3, &distance, 4);
	}
	distance = -(int32_t)TABLE_LEN;
	for (; at < TEXT_LEN - 64; at += 4)
		memcpy(file->text + at, &distance, 4);
	syms[0] = symbol(1, 0, TABLE_LEN);
	syms[1] = symbol(1, TEXT_LEN - 16, 16);
	assert_int_equal(plan_file(file, syms, &plan), 1);
	assert_non_null(strstr(why_left_out(&plan), "jump tables"));
	plan_free(&plan);
}

/* All names end with the same letters: gigabytes, if each is copied. */
static void test_long_names(void **state)
{
	Elf64_Sym *syms = mem_alloc(NR_NESTED * sizeof(*syms));
	struct file *file = create(NR_NESTED);
	struct plan plan;
	size_t i;

	(void)state;
	memset(file->text, 'a', TEXT_LEN - 1);
	file->text[TEXT_LEN - 1] = 0;
	file->sections[2].sh_offset = offsetof(struct file, text);
	file->sections[2].sh_size = TEXT_LEN;
	for (i = 0; i < NR_NESTED; i++)
		syms[i] = symbol(i, i * 16, 16);
	assert_in_range(plan_file(file, syms, &plan), 1, NR_NESTED / 2);
	assert_non_null(strstr(plan.objects[0].refused, "share their letters"));
	plan_free(&plan);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested_functions),
		cmocka_unit_test(test_cold_parts_of_one_name),
		cmocka_unit_test(test_one_cold_part),
		cmocka_unit_test(test_long_tables),
		cmocka_unit_test(test_long_names),
	};

	folder = argc > 1 ? argv[1] : "";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
