// SPDX-License-Identifier: GPL-2.0
/*
 * Tables for unwinding: what each instruction of .eh_frame becomes, what is refused, and each
 * result of a step. test_unwound compares whole stacks of real programs with libdw.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/time.h>

#include <cmocka.h>

#include "../fuzz/eh_file.h"
#include "../../kmod/core/unwind_step.c"
#include "../../kmod/core/unwind_table.c"
#include "../../user/elf/cfi.h"
#include "../../user/elf/cfi_ops.h"
#include "../../user/elf/unwind.h"
#include "../../user/util/mem.h"

#define CODE_LEN	0x30000UL
#define LARGE_CODE_LEN	(6UL << 20)
#define SECONDS		20	/* of CPU time with the sanitizers; unbounded work takes hours */

enum { RBX = 3, RDI = 5, RBP = 6, RSP = 7, R9 = 9, R10 = 10, R15 = 15, RIP = 16 };

/* --- .eh_frame ------------------------------------------------------------- */

static struct {
	uint8_t bytes[24 << 20];
	size_t len;
	size_t cie;		/* the one that the next function refers to */
	size_t code_len;
	uint32_t small;		/* where the next small function begins */
} frame;

static struct kt_unwind_table table;
static struct unwind unwind;
static struct err err;

static void put(const void *bytes, size_t len)
{
	assert_true(frame.len + len <= sizeof(frame.bytes));
	memcpy(frame.bytes + frame.len, bytes, len);
	frame.len += len;
}

static void put_word(uint32_t word)
{
	put(&word, sizeof(word));
}

/* Writes the length of an entry that ends here. */
static void put_len(size_t at)
{
	uint32_t len = frame.len - at - 4;

	memcpy(frame.bytes + at, &len, sizeof(len));
}

static void begin_frame(void)
{
	frame.len = 0;
	frame.code_len = CODE_LEN;
	frame.small = 0x1000;
}

/* The rule at the first instruction: rsp + 8, the return address at CFA - 8. */
#define USUAL "\x0c\x07\x08\x90\x01"

static void put_cie(const char *letters, const void *program, size_t len)
{
	size_t at = frame.len, nr = strlen(letters);

	frame.cie = at;
	put_word(0);
	put_word(0);
	put("\1", 1);
	put(letters, nr + 1);
	put("\x01\x78\x10", 3); /* code 1, data -8, the return address is 16 */
	put("\x01\x1b", 2); /* of augmentation: pcrel sdata4 */
	put(program, len);
	put_len(at);
}

static void put_function(uint32_t begin, uint32_t len, const void *program, size_t program_len)
{
	put_word(4 + 4 + 4 + 1 + program_len);
	put_word(frame.len - frame.cie);
	put_word(begin - (frame.code_len + frame.len));
	put_word(len);
	put("", 1);
	put(program, program_len);
}

static int compile(void)
{
	struct elf_file file;
	int status;

	unwind_free(&unwind);
	assert_int_equal(elf_file_take(&file, eh_file_make(frame.bytes, frame.len, frame.code_len),
				       "file", &err), 0);
	status = unwind_compile(&unwind, &file, &err);
	elf_file_close(&file);
	if (!status)
		assert_true(kt_unwind_table_open(&table, unwind.table, unwind.len));
	return status;
}

static const struct ktrace_unwind_rule *at(uint64_t offset)
{
	return kt_unwind_table_find(&table, offset);
}

static void assert_rule(uint64_t offset, struct ktrace_unwind_rule wanted)
{
	if (memcmp(at(offset), &wanted, sizeof(wanted)))
		fail_msg("at %#lx: cfa %u %d + %u, rbp %u %d, rbx %u %d", (long)offset,
			 at(offset)->cfa, at(offset)->cfa_offset, at(offset)->cfa_add,
			 at(offset)->rbp, at(offset)->rbp_offset, at(offset)->rbx,
			 at(offset)->rbx_offset);
}

static void assert_kind(uint64_t offset, uint8_t cfa)
{
	assert_rule(offset, (struct ktrace_unwind_rule){ .cfa = cfa });
}

#define RULE		(struct ktrace_unwind_rule)
#define CFA(kind)	.cfa = KTRACE_UNWIND_CFA_##kind
#define AT(place)	KTRACE_UNWIND_REG_##place

#define PROGRAM(...)	(const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })
#define LATER(by)	(CFA_advance_loc + (by))

/* --- rules ----------------------------------------------------------------- */

static void test_function(void **state)
{
	(void)state;
	begin_frame();
	put_cie("zR", USUAL, 5);
	put_function(0x1000, 64,
		     PROGRAM(LATER(1), CFA_def_cfa_offset, 16, CFA_offset + RBP, 2, LATER(3),
			     CFA_def_cfa_register, RBP, CFA_advance_loc1, 10, CFA_offset + RBX, 3,
			     CFA_remember_state, CFA_advance_loc2, 10, 0, CFA_restore + RBX,
			     CFA_restore + RBP, CFA_def_cfa, RSP, 8, CFA_advance_loc4, 1, 0, 0, 0,
			     CFA_restore_state));
	assert_int_equal(compile(), 0);
	assert_kind(0xfff, KTRACE_UNWIND_CFA_NONE);
	assert_rule(0x1000, RULE{ CFA(RSP), .cfa_offset = 8 });
	assert_rule(0x1003, RULE{ CFA(RSP), .cfa_offset = 16,
			    .rbp = AT(CFA), .rbp_offset = -16 });
	assert_rule(0x1004, RULE{ CFA(RBP), .cfa_offset = 16,
			    .rbp = AT(CFA), .rbp_offset = -16 });
	assert_rule(0x100e, RULE{ CFA(RBP), .cfa_offset = 16,
			    .rbp = AT(CFA), .rbp_offset = -16,
			    .rbx = AT(CFA), .rbx_offset = -24 });
	assert_rule(0x1018, RULE{ CFA(RSP), .cfa_offset = 8 });
	assert_ptr_equal(at(0x1019), at(0x100e));
	assert_ptr_equal(at(0x103f), at(0x100e));
	assert_kind(0x1040, KTRACE_UNWIND_CFA_NONE);
	assert_int_equal(unwind.nr_rows, 7);
	assert_kind(1ULL << 40, KTRACE_UNWIND_CFA_NONE);
}

/* One function of 16 bytes for each program, from 0x1000 on. */
static void put_small(const void *program, size_t len)
{
	put_function(frame.small, 0x10, program, len);
	frame.small += 0x10;
}

static void test_kinds(void **state)
{
	(void)state;
	begin_frame();
	put_cie("zR", USUAL, 5);
	put_small(PROGRAM(CFA_undefined, RIP));
	put_small(PROGRAM(CFA_def_cfa_expression, 11, OP_breg7, 8, OP_breg16, 0, OP_lit15, OP_and,
			  OP_lit0 + 10, OP_ge, OP_lit3, OP_shl, OP_plus));
	put_small(PROGRAM(CFA_def_cfa_expression, 3, OP_breg0 + RBP, 0x78, OP_deref,
			  CFA_expression, RBP, 2, OP_breg0 + RBP, 0, CFA_expression, RBX, 2, OP_breg7, 0x48));
	put_small(PROGRAM(CFA_def_cfa_expression, 6, OP_breg7, 0xc0, 0, OP_deref, OP_plus_uconst,
			  8));
	put_small(PROGRAM(CFA_def_cfa, RBX, 24, CFA_offset_extended_sf, RBP, 3, CFA_undefined,
			  RBX));
	put_small(PROGRAM(CFA_def_cfa, R10, 8));
	put_small(PROGRAM(CFA_def_cfa, R15, 0));
	put_small(PROGRAM(CFA_def_cfa_offset, 16, CFA_register, RIP, RDI));
	put_small(PROGRAM(CFA_def_cfa_expression, 11, OP_breg7, 0xc8, 0, OP_breg0 + R9, 0, OP_lit8,
			  OP_mul, OP_plus, OP_deref, OP_plus_uconst, 8));
	assert_int_equal(compile(), 0);
	assert_kind(0x1000, KTRACE_UNWIND_CFA_END);
	assert_rule(0x1010, RULE{ CFA(PLT), .cfa_offset = 10 });
	assert_rule(0x1020, RULE{ CFA(AT_RBP), .cfa_offset = -8,
			    .rbp = AT(RBP), .rbx = AT(RSP), .rbx_offset = -56 });
	assert_rule(0x1030, RULE{ CFA(AT_RSP), .cfa_offset = 64,
			    .cfa_add = 8 });
	assert_rule(0x1040, RULE{ CFA(RBX), .cfa_offset = 24,
			    .rbp = AT(CFA), .rbp_offset = -24, .rbx = AT(LOST) });
	assert_rule(0x1050, RULE{ CFA(OTHER), .cfa_offset = 8, .cfa_add = R10 });
	assert_rule(0x1060, RULE{ CFA(OTHER), .cfa_add = R15 });
	assert_rule(0x1070, RULE{ CFA(RETURN), .cfa_offset = 16, .cfa_add = RDI });
	assert_rule(0x1080, RULE{ CFA(AT_INDEX), .cfa_offset = 72, .cfa_add = R9 });
	assert_int_equal(unwind.nr_complex, 0);
}

/* What a table cannot express must not look like something else. */
static void test_complex(void **state)
{
	uint64_t begin;

	(void)state;
	begin_frame();
	put_cie("zR", USUAL, 5);
	put_small(PROGRAM(CFA_def_cfa, RIP, 0));
	put_small(PROGRAM(CFA_register, RIP, RIP));
	put_small(PROGRAM(CFA_register, RIP, RDI, CFA_def_cfa, RBP, 16));
	put_small(PROGRAM(CFA_def_cfa_expression, 11, OP_breg7, 0xc8, 0, OP_breg16, 0, OP_lit8,
			  OP_mul, OP_plus, OP_deref, OP_plus_uconst, 8));
	put_small(PROGRAM(CFA_def_cfa_expression, 11, OP_breg0 + RBP, 0xc8, 0, OP_breg0 + R9, 0,
			  OP_lit8, OP_mul, OP_plus, OP_deref, OP_plus_uconst, 8));
	put_small(PROGRAM(CFA_def_cfa_expression, 11, OP_breg7, 0xc8, 0, OP_breg0 + R9, 0, OP_lit8,
			  OP_mul, OP_plus, OP_deref, OP_plus_uconst, 16));
	put_small(PROGRAM(CFA_offset + RIP, 2));
	put_small(PROGRAM(CFA_val_offset, RSP, 2));
	put_small(PROGRAM(CFA_def_cfa_expression, 2, OP_breg0 + 9, 0));
	put_small(PROGRAM(CFA_def_cfa_expression, 4, OP_breg7, 0, OP_deref, OP_deref));
	put_small(PROGRAM(CFA_def_cfa_expression, 6, OP_breg7, 0, OP_deref, OP_plus_uconst, 0x80,
			  4));
	put_small(PROGRAM(CFA_def_cfa_expression, 1, OP_deref, CFA_def_cfa_offset, 16));
	put_small(PROGRAM(CFA_restore_state));
	put_small(PROGRAM(0x3f));
	put_small(PROGRAM(CFA_def_cfa_offset, 0x80));
	put_small(PROGRAM(CFA_def_cfa_offset, 0x80, 0x80, 0x80, 0x80, 0x10));
	put_small(PROGRAM(CFA_expression, RIP, 2, OP_breg7, 0xa8));
	assert_int_equal(compile(), 0);
	for (begin = 0x1000; begin < 0x1110; begin += 0x10)
		assert_kind(begin, KTRACE_UNWIND_CFA_COMPLEX);
	assert_int_equal(unwind.nr_complex, 1); /* equal rows are one */
	begin_frame();
	put_cie("zR", USUAL, 5);
	put_small(PROGRAM(LATER(4), CFA_restore_state, LATER(4), CFA_nop));
	assert_int_equal(compile(), 0);
	assert_rule(0x1003, RULE{ CFA(RSP), .cfa_offset = 8 });
	assert_kind(0x1004, KTRACE_UNWIND_CFA_COMPLEX);
	assert_kind(0x100f, KTRACE_UNWIND_CFA_COMPLEX);
}

static void test_signal(void **state)
{
	static const uint8_t rules[] = { CFA_def_cfa_expression, 4, OP_breg7, 0xa0, 1, OP_deref,
					 CFA_expression, RIP, 3, OP_breg7, 0xa8, 1 };

	(void)state;
	begin_frame();
	put_cie("zRS", rules, sizeof(rules));
	put_function(0x1000, 16, "", 0);
	put_function(0x1010, 16, PROGRAM(CFA_expression, RIP, 3, OP_breg7, 0xb0, 1));
	put_cie("zR", rules, sizeof(rules));
	put_function(0x1020, 16, "", 0);
	assert_int_equal(compile(), 0);
	assert_kind(0x1000, KTRACE_UNWIND_CFA_SIGNAL);
	assert_kind(0x1010, KTRACE_UNWIND_CFA_COMPLEX);
	assert_kind(0x1020, KTRACE_UNWIND_CFA_COMPLEX);
}

static void test_places(void **state)
{
	(void)state;
	begin_frame();
	put_cie("zR", USUAL, 5);
	/* Not in the order of addresses, on several pages, one inside of another, one outside. */
	put_function(0x20010, 16, PROGRAM(CFA_def_cfa_offset, 32));
	put_function(0xfff0, 0x10020, PROGRAM(CFA_def_cfa_offset, 40, LATER(32),
					      CFA_def_cfa_offset, 48));
	put_function(0x1000, 64, PROGRAM(CFA_def_cfa_offset, 16));
	put_function(0x1010, 16, PROGRAM(CFA_def_cfa_offset, 24));
	put_function(0x1010, 16, PROGRAM(CFA_def_cfa_offset, 24));
	put_function(CODE_LEN - 8, 16, PROGRAM(CFA_def_cfa_offset, 99));
	put_function(0x2000, 0, PROGRAM(CFA_def_cfa_offset, 99));
	put_function(0x204f, 17, PROGRAM(CFA_def_cfa_offset, 56));
	put_function(0x2030, 16, PROGRAM(CFA_def_cfa_offset, 64));
	assert_int_equal(compile(), 0);
	assert_int_equal(at(0x100f)->cfa_offset, 16);
	assert_int_equal(at(0x1010)->cfa_offset, 24);
	assert_kind(0x1030, KTRACE_UNWIND_CFA_NONE); /* the last one that begins in front counts */
	assert_kind(0x2000, KTRACE_UNWIND_CFA_NONE);
	assert_int_equal(at(0x204e)->cfa_offset, 64); /* padding */
	assert_int_equal(at(0x204f)->cfa_offset, 56);
	assert_kind(0x2060, KTRACE_UNWIND_CFA_NONE);
	assert_int_equal(at(0xfff0)->cfa_offset, 40);
	assert_int_equal(at(0x1000f)->cfa_offset, 40);
	assert_int_equal(at(0x10010)->cfa_offset, 48);
	assert_int_equal(at(0x2000f)->cfa_offset, 48); /* from the page in front */
	assert_int_equal(at(0x2001f)->cfa_offset, 32);
	assert_kind(0x20020, KTRACE_UNWIND_CFA_NONE);
	assert_kind(CODE_LEN - 4, KTRACE_UNWIND_CFA_NONE);
}

/* --- refusals -------------------------------------------------------------- */

static void assert_refused(const char *why)
{
	assert_int_equal(compile(), -1);
	assert_null(unwind.table);
	if (!strstr(err.text, why))
		fail_msg("%s", err.text);
}

static void begin_usual(void)
{
	begin_frame();
	put_cie("zR", USUAL, 5);
}

static void test_refused(void **state)
{
	static const uint8_t nops[2000];

	(void)state;
	begin_frame();
	assert_refused("has no .eh_frame");
	put_word(0);
	assert_refused("describes no function");
	begin_usual();
	assert_refused("describes no function");
	put_word(1000);
	assert_refused("an entry is longer than the section");
	begin_usual();
	put_word(UINT32_MAX);
	assert_refused("more than 4 GiB");
	begin_usual();
	put_word(2);
	put_word(0);
	assert_refused("less than 4 bytes");
	begin_usual();
	put_word(8);
	put_word(0x1000);
	put_word(0);
	assert_refused("refers to an entry outside");
	begin_usual();
	put_function(0x1000, 16, "", 0);
	frame.cie = frame.len - 17; /* a function, which refers to itself */
	put_function(0x1000, 16, "", 0);
	assert_refused("refers to an entry that is none");
	begin_usual();
	put_word(8);
	put_word(4);
	put_word(0);
	assert_refused("refers to an entry that is none"); /* itself */
	begin_usual();
	put_word(8);
	put_word(frame.len);
	put_word(0);
	assert_refused("a function is longer than its entry");
	begin_frame();
	put_cie("zQ", USUAL, 5);
	put_function(0x1000, 16, "", 0);
	assert_refused("of an unknown form");
	begin_frame();
	put_cie("zRRRRRRR", USUAL, 5);
	put_function(0x1000, 16, "", 0);
	assert_refused("of an unknown form");
	begin_frame();
	put_cie("zR", nops, sizeof(nops));
	put_function(0x1000, 16, "", 0);
	assert_refused("of more than 1024 bytes");
}

/* --- hostile files --------------------------------------------------------- */

static void limit(int seconds)
{
	const struct itimerval cpu_time = { .it_value.tv_sec = seconds };

	setitimer(ITIMER_PROF, &cpu_time, NULL);
}

static void test_too_many_rows(void **state)
{
	uint32_t len = LARGE_CODE_LEN - 0x1000, i;
	size_t begin;

	(void)state;
	limit(SECONDS);
	begin_frame();
	frame.code_len = LARGE_CODE_LEN;
	put_cie("zR", USUAL, 5);
	put_function(0x1000, len, "", 0);
	begin = frame.len - 17;
	for (i = 0; i < len; i++)
		put(PROGRAM(LATER(1), CFA_def_cfa_offset, i % 64));
	put_len(begin);
	assert_refused("makes more than 4194304 rows");
}

static void test_many_rules(void **state)
{
	size_t begin;
	uint32_t i;

	(void)state;
	limit(SECONDS);
	begin_usual();
	put_function(0x1000, 40000, "", 0);
	begin = frame.len - 17;
	for (i = 0; i < 40000; i++)
		put(PROGRAM(LATER(1), CFA_def_cfa_offset, 0x80 | i, 0x80 | i >> 7, i >> 14));
	put_len(begin);
	assert_int_equal(compile(), 0);
	assert_int_equal(unwind.nr_rules, KTRACE_UNWIND_MAX_RULES);
	assert_int_equal(at(0x2000)->cfa_offset, 0xfff);
	assert_kind(0x1000 + 39999, KTRACE_UNWIND_CFA_COMPLEX);
	assert_kind(0x1000 + 40000, KTRACE_UNWIND_CFA_NONE);
}

static void test_deep_states(void **state)
{
	static uint8_t program[200000];

	(void)state;
	limit(SECONDS);
	memset(program, CFA_remember_state, sizeof(program));
	begin_usual();
	put_function(0x1000, 16, program, CFI_MAX_REMEMBERED);
	put_function(0x1010, 16, program, CFI_MAX_REMEMBERED + 1);
	put_function(0x1020, 16, program, sizeof(program));
	assert_int_equal(compile(), 0);
	assert_int_equal(at(0x1000)->cfa, KTRACE_UNWIND_CFA_RSP);
	assert_kind(0x1010, KTRACE_UNWIND_CFA_COMPLEX);
	assert_kind(0x1020, KTRACE_UNWIND_CFA_COMPLEX);
}

static void test_large_advances(void **state)
{
	(void)state;
	limit(SECONDS);
	begin_usual();
	put_small(PROGRAM(CFA_advance_loc4, 0xff, 0xff, 0xff, 0xff, CFA_def_cfa_offset, 16));
	put_small(PROGRAM(CFA_set_loc, 0, 0, 0, 0x80, CFA_def_cfa_offset, 16));
	put_function(0x1ff0, 16, "", 0);
	/* Their ends, if lengths wrap around, are in code. */
	put_function(0x2000, UINT32_MAX, PROGRAM(LATER(1)));
	put_function(0x2000, -0xff8, PROGRAM(LATER(1)));
	assert_int_equal(compile(), 0);
	assert_int_equal(at(0x100f)->cfa_offset, 8);
	assert_int_equal(at(0x101f)->cfa_offset, 8);
	assert_kind(0x2000, KTRACE_UNWIND_CFA_NONE);
}

/* Each function needs another long entry (CIE) than the one in front, and one place keeps both. */
static void test_long_entries_by_turns(void **state)
{
	static uint8_t program[990];
	size_t cies[2];
	uint32_t i;

	(void)state;
	limit(SECONDS);
	memset(program, CFA_nop, sizeof(program));
	begin_frame();
	for (i = 0; i < 2; i++) {
		put_cie("zR", program, sizeof(program));
		cies[i] = frame.cie;
		while ((frame.len >> 3) % 16 != (cies[0] >> 3) % 16)
			put_cie("zR", USUAL, 5);
	}
	for (i = 0; i < 20000; i++) {
		frame.cie = cies[i % 2];
		put_function(0x1000 + i, 1, PROGRAM(CFA_def_cfa, RSP, 8, CFA_offset + RIP, 1));
	}
	assert_int_equal(compile(), 0);
	assert_int_equal(at(0x1000)->cfa, KTRACE_UNWIND_CFA_RSP);
}

/* --- tables ---------------------------------------------------------------- */

/* The module takes no table with a wrong number. */
static void test_wrong_tables(void **state)
{
	struct ktrace_unwind_head *head;
	uint8_t *bytes;
	size_t i;

	(void)state;
	begin_usual();
	put_function(0x1000, 64, PROGRAM(LATER(1), CFA_def_cfa_offset, 16));
	assert_int_equal(compile(), 0);
	bytes = unwind.table;
	head = unwind.table;
	for (i = 0; i < unwind.len; i++)
		assert_false(kt_unwind_table_open(&table, bytes, i));
	for (i = 0; i < sizeof(*head) + 2 * sizeof(u32); i++) {
		if (i - offsetof(struct ktrace_unwind_head, first_page) < 2)
			continue; /* other pages */
		bytes[i] ^= 0x80;
		assert_false(kt_unwind_table_open(&table, bytes, unwind.len));
		bytes[i] ^= 0x80;
	}
	assert_true(kt_unwind_table_open(&table, bytes, unwind.len));
	((struct ktrace_unwind_rule *)table.rules)->cfa = KTRACE_UNWIND_NR_CFAS;
	assert_false(kt_unwind_table_open(&table, bytes, unwind.len));
	((struct ktrace_unwind_rule *)table.rules)->cfa = KTRACE_UNWIND_CFA_OTHER;
	((struct ktrace_unwind_rule *)table.rules)->cfa_add = KTRACE_UNWIND_NR_OTHERS;
	assert_false(kt_unwind_table_open(&table, bytes, unwind.len));
	((struct ktrace_unwind_rule *)table.rules)->cfa_add = KTRACE_UNWIND_NR_OTHERS - 1;
	assert_true(kt_unwind_table_open(&table, bytes, unwind.len));
	((struct ktrace_unwind_rule *)table.rules)->cfa = 0;
	((struct ktrace_unwind_rule *)table.rules)->cfa_add = 0;
	((struct ktrace_unwind_row *)table.rows)[1].rule = head->nr_rules;
	assert_false(kt_unwind_table_open(&table, bytes, unwind.len));
	((struct ktrace_unwind_row *)table.rows)[1].rule = 0;
	((struct ktrace_unwind_row *)table.rows)[1].low = 0x1000;
	assert_false(kt_unwind_table_open(&table, bytes, unwind.len));
}

static void test_layout(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct ktrace_unwind_head), 24);
	assert_int_equal(offsetof(struct ktrace_unwind_head, first_page), 4);
	assert_int_equal(offsetof(struct ktrace_unwind_head, nr_pages), 8);
	assert_int_equal(offsetof(struct ktrace_unwind_head, nr_rules), 12);
	assert_int_equal(offsetof(struct ktrace_unwind_head, nr_rows), 16);
	assert_int_equal(offsetof(struct ktrace_unwind_head, pad), 20);
	assert_int_equal(sizeof(struct ktrace_unwind_row), 4);
	assert_int_equal(offsetof(struct ktrace_unwind_row, rule), 2);
	assert_int_equal(sizeof(struct ktrace_unwind_rule), 12);
	assert_int_equal(offsetof(struct ktrace_unwind_rule, rbp_offset), 4);
	assert_int_equal(offsetof(struct ktrace_unwind_rule, rbx_offset), 6);
	assert_int_equal(offsetof(struct ktrace_unwind_rule, cfa), 8);
	assert_int_equal(offsetof(struct ktrace_unwind_rule, cfa_add), 9);
	assert_int_equal(offsetof(struct ktrace_unwind_rule, rbp), 10);
	assert_int_equal(offsetof(struct ktrace_unwind_rule, rbx), 11);
}

/* --- steps ----------------------------------------------------------------- */

#define STACK 0x7000

static struct {
	uint64_t words[64];	/* the first one has the address STACK */
	unsigned int nr_reads;
} stack;

static bool read_stack(void *arg, u64 addr, void *to, unsigned int len)
{
	(void)arg;
	stack.nr_reads++;
	if (addr - STACK > sizeof(stack.words) || len > sizeof(stack.words) - (addr - STACK))
		return false;
	memcpy(to, (char *)stack.words + (addr - STACK), len);
	return true;
}

static struct kt_unwind_regs regs;
static unsigned long first[20];		/* in the order of struct pt_regs */

static void begin_step(void)
{
	size_t i;

	for (i = 0; i < 64; i++)
		stack.words[i] = 0x100 + i;
	stack.nr_reads = 0;
	regs = (struct kt_unwind_regs){ .ip = 0x1005, .sp = STACK, .bp = STACK + 64,
					.bx = STACK + 128, .has_bp = true, .has_bx = true, .is_exact = true,
					.first = first, .all_at = KT_UNWIND_FIRST_ALL };
}

/* A step that fails leaves the registers as they are. */
static enum kt_unwind_result step(struct ktrace_unwind_rule rule)
{
	struct kt_unwind_regs old = regs;
	enum kt_unwind_result result;

	stack.nr_reads = 0;
	result = kt_unwind_step(&regs, &rule, read_stack, NULL);
	assert_true(stack.nr_reads <= 4);
	if (result != KT_UNWIND_NEXT)
		assert_memory_equal(&old, &regs, sizeof(old));
	return result;
}

static void test_steps(void **state)
{
	const struct ktrace_unwind_rule near = { CFA(RSP), .cfa_offset = 32,
						 .rbp = AT(CFA), .rbp_offset = -16 };
	struct ktrace_unwind_rule rule = near;

	(void)state;
	begin_step();
	assert_int_equal(kt_unwind_place(&regs), 0x1005);
	assert_int_equal(step(near), KT_UNWIND_NEXT);
	assert_int_equal(regs.ip, 0x103);
	assert_int_equal(regs.bp, 0x102);
	assert_int_equal(regs.sp, STACK + 32);
	assert_int_equal(kt_unwind_place(&regs), 0x102);
	assert_int_equal(stack.nr_reads, 2);
	begin_step();
	rule.rbp_offset = 80;
	assert_int_equal(step(rule), KT_UNWIND_NEXT);
	assert_int_equal(regs.bp, 0x10e);
	assert_int_equal(stack.nr_reads, 2);
	/* Without a rule for rbp, it stays. */
	begin_step();
	rule.rbp = AT(SAME);
	assert_int_equal(step(rule), KT_UNWIND_NEXT);
	assert_int_equal(regs.bp, STACK + 64);
	/* The return address is 0. */
	begin_step();
	stack.words[3] = 0;
	assert_int_equal(step(near), KT_UNWIND_END);
	assert_int_equal(step(RULE{ CFA(END) }), KT_UNWIND_END);
	rule.cfa_offset = 0x10000;
	assert_int_equal(step(rule), KT_UNWIND_UNREADABLE);
	rule.cfa_offset = -0x10000;
	assert_int_equal(step(rule), KT_UNWIND_UNREADABLE);
}

static void test_other_registers(void **state)
{
	struct ktrace_unwind_rule rule = { CFA(RBP), .cfa_offset = 16,
					   .rbp = AT(LOST), .rbx = AT(CFA),
					   .rbx_offset = -24 };

	(void)state;
	begin_step();
	assert_int_equal(step(rule), KT_UNWIND_NEXT);
	assert_int_equal(regs.ip, 0x109);
	assert_int_equal(regs.bx_at, STACK + 56); /* it is read later, if at all */
	assert_int_equal(stack.nr_reads, 1);
	assert_int_equal(step(rule), KT_UNWIND_COMPLEX); /* rbp is lost */
	stack.words[7] = STACK + 160;
	rule.cfa = KTRACE_UNWIND_CFA_RBX;
	rule.rbx = AT(LOST);
	assert_int_equal(step(rule), KT_UNWIND_NEXT);
	assert_int_equal(regs.ip, 0x115);
	assert_int_equal(step(rule), KT_UNWIND_COMPLEX); /* now rbx is lost, too */
	/* Realigned stacks. */
	begin_step();
	stack.words[7] = STACK + 200;
	assert_int_equal(step(RULE{ CFA(AT_RBP), .cfa_offset = -8,
			      .rbp = AT(RBP), .rbx = AT(RBP), .rbx_offset = -16 }),
			 KT_UNWIND_NEXT);
	assert_int_equal(regs.sp, STACK + 200);
	assert_int_equal(regs.ip, 0x118);
	assert_int_equal(regs.bp, 0x108);
	assert_int_equal(regs.bx_at, STACK + 48);
	begin_step();
	stack.words[2] = STACK + 80;
	assert_int_equal(step(RULE{ CFA(AT_RSP), .cfa_offset = 16,
			      .cfa_add = 8 }), KT_UNWIND_NEXT);
	assert_int_equal(regs.sp, STACK + 88);
	begin_step();
	assert_int_equal(step(RULE{ CFA(PLT), .cfa_offset = 5 }),
			 KT_UNWIND_NEXT);
	assert_int_equal(regs.sp, STACK + 16);
	begin_step();
	assert_int_equal(step(RULE{ CFA(PLT), .cfa_offset = 6 }),
			 KT_UNWIND_NEXT);
	assert_int_equal(regs.sp, STACK + 8);
	assert_int_equal(step(RULE{ CFA(COMPLEX) }),
			 KT_UNWIND_COMPLEX);
}

/* Registers of which only the first frame is known, and the one that a signal has interrupted. */
static void test_registers_of_the_first_frame(void **state)
{
	/* The place in struct pt_regs of each register of DWARF, and in a ucontext. */
	static const uint8_t in_first[] = { 10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0 };
	static const uint8_t in_context[] = { 13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7 };
	struct ktrace_unwind_rule rule = { CFA(OTHER), .cfa_offset = 16, .rbp = AT(CFA),
					   .rbp_offset = -16 };
	static const char kept[] = { RBX, RBP, RSP, 12, 13, 14, R15 };
	uint8_t nr;

	(void)state;
	for (nr = 0; nr < KTRACE_UNWIND_NR_OTHERS; nr++) {
		rule.cfa_add = nr;
		begin_step();
		memset(first, 0, sizeof(first));
		first[in_first[nr]] = STACK + 80;
		assert_int_equal(step(rule), KT_UNWIND_NEXT);
		assert_int_equal(regs.sp, STACK + 96);
		assert_int_equal(regs.ip, 0x10b);
		assert_int_equal(regs.bp, 0x10a);
		/* Calls may have changed registers that they restore. */
		assert_int_equal(step(rule), memchr(kept, nr, sizeof(kept)) ? KT_UNWIND_COMPLEX : KT_UNWIND_NEXT);
		begin_step();
		stack.words[5 + in_context[nr]] = STACK + 320;
		assert_int_equal(step(RULE{ CFA(SIGNAL) }), KT_UNWIND_NEXT);
		assert_int_equal(step(rule), KT_UNWIND_NEXT);
		assert_int_equal(regs.sp, STACK + 336);
		assert_int_equal(regs.ip, 0x129);
		assert_int_equal(step(rule), memchr(kept, nr, sizeof(kept)) ? KT_UNWIND_COMPLEX : KT_UNWIND_NEXT);
	}
	begin_step();
	regs.all_at = STACK + 0x10000;
	assert_int_equal(step(rule), KT_UNWIND_UNREADABLE);
}

static void test_return_in_register(void **state)
{
	const struct ktrace_unwind_rule rule = { CFA(RETURN), .cfa_add = RDI };

	(void)state;
	begin_step();
	first[14] = 0x4321;
	assert_int_equal(step(rule), KT_UNWIND_NEXT);
	assert_int_equal(regs.ip, 0x4321);
	assert_int_equal(regs.sp, STACK);
	assert_int_equal(regs.bp, STACK + 64);
	assert_int_equal(stack.nr_reads, 0);
	assert_int_equal(step(rule), KT_UNWIND_COMPLEX);
	begin_step();
	first[14] = 0;
	assert_int_equal(step(rule), KT_UNWIND_END);
}

static void test_indexed_word(void **state)
{
	const struct ktrace_unwind_rule rule = { CFA(AT_INDEX), .cfa_offset = 72, .cfa_add = R9 };

	(void)state;
	begin_step();
	first[8] = 3;
	stack.words[12] = STACK + 120;
	assert_int_equal(step(rule), KT_UNWIND_NEXT);
	assert_int_equal(regs.sp, STACK + 128);
	assert_int_equal(regs.ip, 0x10f);
	begin_step();
	regs.all_at = KT_UNWIND_NOT_ALL;
	assert_int_equal(step(rule), KT_UNWIND_COMPLEX);
	begin_step();
	first[8] = ~0UL / 2;
	assert_int_equal(step(rule), KT_UNWIND_UNREADABLE);
}

static void assert_interrupted(void)
{
	assert_int_equal(regs.bp, 0x10f);
	assert_int_equal(regs.bx, 0x110);
	assert_int_equal(regs.bx_at, 0);
	assert_int_equal(regs.sp, 0x114);
	assert_int_equal(regs.ip, 0x115);
	assert_int_equal(kt_unwind_place(&regs), 0x115);
}

static void test_signal_steps(void **state)
{
	static const uint8_t code[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	const struct ktrace_unwind_rule none = { CFA(NONE) };

	(void)state;
	begin_step();
	regs.is_exact = false;
	regs.has_bp = false;
	assert_int_equal(step(RULE{ CFA(SIGNAL) }),
			 KT_UNWIND_NEXT);
	assert_interrupted();
	/* The code of a C library that has no rule for it. */
	begin_step();
	assert_int_equal(step(none), KT_UNWIND_NO_RULE);
	regs.ip = STACK + 256;
	assert_int_equal(step(none), KT_UNWIND_NO_RULE);
	memcpy(&stack.words[32], code, sizeof(code));
	stack.nr_reads = 0;
	assert_int_equal(step(none), KT_UNWIND_NEXT);
	assert_interrupted();
}

/*
 * The compiler finds that code, and the padding in front, in which unwinders search. Other code
 * without a rule is no padding.
 */
static void test_code(void **state)
{
	static const uint8_t code[] = { 0x90, 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	struct elf_file file;
	int fd;

	(void)state;
	begin_usual();
	put_function(0x1000, 0x100, "", 0);
	put_function(0x1108, 8, "", 0);
	put_function(0x1118, 8, "", 0);
	fd = eh_file_make(frame.bytes, frame.len, frame.code_len);
	assert_true(pwrite(fd, code, sizeof(code), 0x2000) == sizeof(code));
	assert_true(pwrite(fd, code + 1, 4, 0x1100) == 4);
	assert_true(pwrite(fd, code, 1, 0x1110) == 1);
	assert_int_equal(elf_file_take(&file, fd, "file", &err), 0);
	unwind_free(&unwind);
	assert_int_equal(unwind_compile(&unwind, &file, &err), 0);
	elf_file_close(&file);
	assert_true(kt_unwind_table_open(&table, unwind.table, unwind.len));
	assert_int_equal(at(0x10ff)->cfa, KTRACE_UNWIND_CFA_RSP);
	assert_kind(0x1100, KTRACE_UNWIND_CFA_NONE);
	assert_kind(0x1107, KTRACE_UNWIND_CFA_NONE);
	assert_int_equal(at(0x1110)->cfa, KTRACE_UNWIND_CFA_RSP);
	assert_kind(0x1fff, KTRACE_UNWIND_CFA_NONE);
	assert_kind(0x2000, KTRACE_UNWIND_CFA_SIGNAL);
	assert_kind(0x2009, KTRACE_UNWIND_CFA_SIGNAL);
	assert_kind(0x200a, KTRACE_UNWIND_CFA_NONE);
}

static int finish(void **state)
{
	(void)state;
	unwind_free(&unwind);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_function),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_complex),
		cmocka_unit_test(test_signal),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_too_many_rows),
		cmocka_unit_test(test_many_rules),
		cmocka_unit_test(test_deep_states),
		cmocka_unit_test(test_large_advances),
		cmocka_unit_test(test_long_entries_by_turns),
		cmocka_unit_test(test_wrong_tables),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_other_registers),
		cmocka_unit_test(test_registers_of_the_first_frame),
		cmocka_unit_test(test_return_in_register),
		cmocka_unit_test(test_indexed_word),
		cmocka_unit_test(test_signal_steps),
		cmocka_unit_test(test_code),
	};

	return cmocka_run_group_tests(tests, NULL, finish);
}
