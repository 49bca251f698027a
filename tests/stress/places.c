// SPDX-License-Identifier: GPL-2.0
/* Each kind of exit that the module supports, in assembler, so that offsets are known. */
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

#include "places.h"

#define FUNCTION(name, ...)						\
	".globl " #name "\n.type " #name ",@function\n" #name ":\n"	\
	__VA_ARGS__ "\n" #name "_end:\n.size " #name ", . - " #name "\n.balign 16\n"

asm(".text\n.balign 16\n"
    FUNCTION(place_outer,
	"push %rbp\n"
	"call place_middle\n"
	"pop %rbp\n"
	"place_outer_exit: ret\n")
    FUNCTION(place_middle,
	"push %rbp\n"
	"call place_leaf\n"
	"call place_leaf\n"
	"pop %rbp\n"
	"place_middle_exit: ret\n")
    FUNCTION(place_leaf,
	"lea 1(%rdi), %rax\n"
	"place_leaf_exit: ret\n")
    FUNCTION(place_tail,
	"push %rbp\n"
	"pop %rbp\n"
	"place_tail_exit: jmp place_leaf\n")
    FUNCTION(place_branch,
	"test $1, %dil\n"
	"place_branch_exit: jz place_leaf\n"
	"place_branch_exit2: ret\n")
    FUNCTION(place_reg,
	"lea place_leaf(%rip), %rax\n"
	"place_reg_exit: jmp *%rax\n")
    FUNCTION(place_mem,
	"nop\n"
	"place_mem_exit: jmp *place_pointer(%rip)\n")
    FUNCTION(place_hold,
	"push %rbp\n"
	"pop %rbp\n"
	"place_hold_exit: ret\n")
    ".data\n.balign 8\nplace_pointer: .quad place_leaf\n.text\n");

#define DECLARE(name) extern const char name[], name##_end[], name##_exit[]
DECLARE(place_outer);
DECLARE(place_middle);
DECLARE(place_leaf);
DECLARE(place_tail);
DECLARE(place_branch);
DECLARE(place_reg);
DECLARE(place_mem);
DECLARE(place_hold);
extern const char place_branch_exit2[];

struct place places[NR_PLACES];

struct text {
	uintptr_t at;	/* address of this program's code ... */
	uint64_t offset;	/* ... and its offset in the file */
};

static int find_text(struct dl_phdr_info *info, size_t len, void *arg)
{
	uintptr_t wanted = (uintptr_t)place_outer, start;
	struct text *text = arg;
	int i;

	(void)len;
	for (i = 0; i < info->dlpi_phnum; i++) {
		start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		if (info->dlpi_phdr[i].p_type != PT_LOAD || wanted < start ||
		    wanted >= start + info->dlpi_phdr[i].p_filesz)
			continue;
		text->at = start;
		text->offset = info->dlpi_phdr[i].p_offset;
		return 1;
	}
	return 0;
}

static uint64_t offset_of(const char *at)
{
	static struct text text;

	if (!text.at && !dl_iterate_phdr(find_text, &text)) {
		fputs("This program does not find its own code.\n", stderr);
		exit(1);
	}
	return text.offset + ((uintptr_t)at - text.at);
}

static struct place *describe(int nr, const char *start, const char *end)
{
	struct ktrace_func *func = &places[nr].func;

	func->entry = func->start = offset_of(start);
	func->end = offset_of(end);
	func->ret = KTRACE_RETURN_SITES;
	return &places[nr];
}

static void leave(struct place *place, const char *at, enum ktrace_exit_kind kind, uint8_t len)
{
	place->exits[place->func.nr_exits++] = (struct ktrace_exit){
		.offset = offset_of(at), .kind = kind, .len = len,
		.base = KTRACE_REG_NONE, .index = KTRACE_REG_NONE, .scale = 1,
	};
}

#define PLACE(nr, name, kind) \
	leave(describe(nr, name, name##_end), name##_exit, KTRACE_EXIT_##kind, \
	      (name##_end) - (name##_exit))

void places_init(void)
{
	PLACE(0, place_outer, RET);
	PLACE(1, place_middle, RET);
	PLACE(2, place_leaf, RET);
	PLACE(3, place_tail, JMP);
	PLACE(4, place_branch, JCC);
	places[4].exits[0].cc = 4;
	leave(&places[4], place_branch_exit2, KTRACE_EXIT_RET, 1);
	PLACE(5, place_reg, JMP_REG);
	places[5].exits[0].base = 0;
	PLACE(6, place_mem, JMP_MEM);
	places[6].exits[0].base = KTRACE_REG_RIP;
	places[6].exits[0].disp = *(const int32_t *)(place_mem_exit + 2);
	PLACE(PLACE_HOLD, place_hold, RET);
}

static long call(const char *function, long n)
{
	return ((long (*)(long))(uintptr_t)function)(n);
}

void places_call(void)
{
	call(place_outer, 1);
	call(place_tail, 2);
	call(place_branch, 3);
	call(place_branch, 4);
	call(place_reg, 5);
	call(place_mem, 6);
	call(place_hold, 7);
}
