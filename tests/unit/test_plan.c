// SPDX-License-Identifier: GPL-2.0
/* Where probes go: test_plan LIBRARY GO_LIBRARY, built from functions.S. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cmocka.h>
#include <gelf.h>

#include "../../user/plan/place.h"
#include "../../user/plan/plan.h"

static const char *library, *go_library, *folder;
static const char *release = "6.1.0";
static struct plan plan;

int uname(struct utsname *machine)
{
	memset(machine, 0, sizeof(*machine));
	strcpy(machine->release, release);
	return 0;
}

static const struct plan_func *find(const char *name)
{
	size_t i;

	for (i = 0; i < plan.nr_funcs; i++)
		if (!strcmp(plan.funcs[i].name, name))
			return &plan.funcs[i];
	fail_msg("no function %s", name);
	return NULL;
}

/* File offset of a label of functions.S, or 0. */
static uint64_t label(const char *function, const char *suffix)
{
	Elf *elf = plan.objects[0].elf;
	Elf_Scn *section = NULL;
	char name[128];
	uint64_t offset = 0;
	GElf_Shdr header;
	GElf_Sym sym;
	int i;

	snprintf(name, sizeof(name), "%s.%s", function, suffix);
	while ((section = elf_nextscn(elf, section))) {
		gelf_getshdr(section, &header);
		if (header.sh_type != SHT_SYMTAB)
			continue;
		for (i = 0; gelf_getsym(elf_getdata(section, NULL), i, &sym); i++)
			if (!strcmp(elf_strptr(elf, header.sh_link, sym.st_name), name))
				elf_file_offset(&plan.objects[0], sym.st_value, &offset);
	}
	return offset;
}

static const struct plan_func *check(const char *name, unsigned int nr_exits)
{
	const struct plan_func *func = find(name);
	char suffix[16];
	unsigned int i;

	assert_null(func->left_out);
	assert_int_equal(func->desc.entry, label(name, "entry"));
	assert_int_equal(func->desc.nr_exits, nr_exits);
	for (i = 0; i < nr_exits; i++) {
		snprintf(suffix, sizeof(suffix), "exit%u", i + 1);
		assert_int_equal(func->exits[i].offset, label(name, suffix));
	}
	return func;
}

static void test_entries(void **state)
{
	(void)state;
	check("push_first", 1);
	check("behind_endbr", 1);
	assert_int_equal(check("moved_sp", 1)->exits[0].disp, 16);
	check("loops_back", 1);
	check("ends_with_jcc", 2);
	check("jumps_back", 2);
	check("jumps_back_behind_push", 1);
	check("locked_first", 1);
	check("avx_first", 1);
	check("avx_taken", 1);
	assert_non_null(strstr(find("locked_only")->left_out, "lock prefix"));
}

static bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* The lists of instructions are in functions.S. */
static void test_refused_instructions(void **state)
{
	unsigned int nr_refused = 0, nr_taken = 0;
	const struct plan_func *func;
	size_t i;

	(void)state;
	for (i = 0; i < plan.nr_funcs; i++) {
		func = &plan.funcs[i];
		if (has_prefix(func->name, "refused_") && ++nr_refused && !func->left_out)
			fail_msg("%s is probed", func->name);
		if (has_prefix(func->name, "taken_") && ++nr_taken &&
		    (func->left_out || func->desc.entry != label(func->name, "entry")))
			fail_msg("%s is not probed at its start: %s", func->name, func->left_out);
	}
	assert_int_equal(nr_refused, 41);
	assert_int_equal(nr_taken, 20);
	assert_non_null(strstr(find("refused_pushf")->left_out, "another result"));
	assert_non_null(strstr(find("refused_unknown")->left_out, "is unknown"));
	check("behind_pushf", 1);
	check("behind_rep", 1);
	assert_non_null(strstr(check("exit_is_short", 0)->no_return, "16-bit"));
}

static bool is_taken_by(const char *kernel, const char *name)
{
	struct plan_options options = { .how = PLAN_RETURN_AUTO };
	struct plan saved = plan;
	struct err err;
	bool is_taken;

	match_add(&options.functions, name);
	release = kernel;
	is_taken = !plan_make(&plan, library, &options, &err) && !find(name)->left_out;
	release = "6.1.0";
	plan_free(&plan);
	match_free(&options.functions);
	plan = saved;
	return is_taken;
}

static void test_instructions_that_old_kernels_refuse(void **state)
{
	(void)state;
	assert_true(is_taken_by("4.8.0", "taken_avx512"));
	assert_false(is_taken_by("4.7.10-1.fc24", "taken_avx512"));
	assert_false(is_taken_by("3.10.0-1160.el7", "taken_avx512_relative"));
	assert_true(is_taken_by("4.1.0", "taken_three_bytes"));
	assert_false(is_taken_by("3.10.0-1160.el7", "taken_three_bytes"));
	assert_false(is_taken_by("3.10.0-1160.el7", "taken_fence"));
	assert_true(is_taken_by("3.10.0-1160.el7", "taken_relative"));
}

/* Copies the library and makes its code segment writable. Returns the path, to be freed. */
static char *with_writable_code(void)
{
	char *path = malloc(strlen(folder) + 32);
	static uint8_t bytes[1 << 20];
	FILE *file = fopen(library, "rb");
	size_t len = fread(bytes, 1, sizeof(bytes), file), i;
	const Elf64_Ehdr *header = (void *)bytes;
	Elf64_Phdr *segments = (void *)(bytes + header->e_phoff);

	fclose(file);
	for (i = 0; i < header->e_phnum; i++)
		if (segments[i].p_flags & PF_X)
			segments[i].p_flags |= PF_W;
	sprintf(path, "%s/writable.so", folder);
	file = fopen(path, "wb");
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	fclose(file);
	return path;
}

static void test_writable_code(void **state)
{
	struct plan_options options = { .how = PLAN_RETURN_AUTO };
	char *path = with_writable_code();
	struct plan one;
	struct err err;

	(void)state;
	assert_int_equal(plan_make(&one, path, &options, &err), -1);
	assert_ptr_equal(one.funcs[0].left_out, plan_writable);
	assert_non_null(strstr(err.text, "its code is writable"));
	plan_free(&one);
	free(path);
}

static void test_jumps(void **state)
{
	const struct plan_func *func;

	(void)state;
	func = check("tail_calls", 3);
	assert_int_equal(func->exits[0].kind, KTRACE_EXIT_JCC);
	assert_int_equal(func->exits[0].cc, 8);
	assert_int_equal(func->exits[1].cc, 4);
	assert_int_equal(func->exits[2].kind, KTRACE_EXIT_JMP);
	func = check("through_pointer", 1);
	assert_int_equal(func->exits[0].kind, KTRACE_EXIT_JMP_MEM);
	assert_int_equal(func->exits[0].base, 0);
	assert_int_equal(func->exits[0].index, 1);
	assert_int_equal(func->exits[0].scale, 8);
	assert_int_equal(func->exits[0].disp, 8);
	check("with_table", 3);
	assert_true(check("tail_calls_seen", 1)->desc.flags & KTRACE_FUNC_JUMPS);
	assert_true(check("tail_calls_on", 0)->desc.flags & KTRACE_FUNC_JUMPS);
	assert_false(check("tail_calls", 3)->desc.flags & KTRACE_FUNC_JUMPS);
	assert_false(check("round", 1)->desc.flags & KTRACE_FUNC_JUMPS);
	check("and_round", 1);
	check("into_round", 1);
}

/* Whether the target of the jump is selected or not. */
static void test_silent_jumps(void **state)
{
	char *glob[] = { (char *)"tail_calls_seen" };
	struct plan_options options = { .functions = { glob, 1 }, .how = PLAN_RETURN_AUTO };
	struct plan saved = plan;
	struct err err;

	(void)state;
	assert_int_equal(plan_make(&plan, library, &options, &err), 0);
	assert_true(check("tail_calls_seen", 1)->desc.flags & KTRACE_FUNC_JUMPS);
	assert_int_equal(find("tail_calls_on")->desc.ret, KTRACE_RETURN_SILENT);
	assert_int_equal(find("tail_calls_on")->desc.nr_exits, 0);
	assert_int_equal(find("moved_sp")->desc.ret, KTRACE_RETURN_SILENT);
	assert_int_equal(find("moved_sp")->desc.nr_exits, 1);
	plan_free(&plan);
	plan = saved;
}

static void test_cold_part(void **state)
{
	const struct plan_func *func = check("has_cold", 2);

	(void)state;
	assert_true(func->desc.cold_end > func->desc.cold_start);
	assert_non_null(find("has_cold.cold")->left_out);
}

static void test_reasons(void **state)
{
	(void)state;
	assert_non_null(strstr(check("never_returns", 0)->no_return, "never returns"));
	assert_non_null(strstr(check("runs_on", 0)->no_return, "runs on"));
	assert_non_null(strstr(check("exit_is_refused", 0)->no_return, "notrack"));
	assert_non_null(strstr(check("outer_of_two", 0)->no_return, "begins inside"));
	check("inner_of_two", 1);
	assert_true(check("head_of_loop", 1)->desc.flags & KTRACE_FUNC_LOOP);
	assert_non_null(strstr(find("head_of_loop_calls")->left_out, "head of a loop"));
	assert_non_null(strstr(find("no_size")->left_out, "no size"));
}

static void test_go(void **state)
{
	struct plan_options options = { .how = PLAN_RETURN_AUTO };
	struct plan saved = plan;
	struct err err;

	(void)state;
	assert_non_null(strstr(find("grows_its_stack")->left_out, "head of a loop"));
	assert_int_equal(plan_make(&plan, go_library, &options, &err), 0);
	assert_non_null(strstr(check("grows_its_stack", 0)->no_return, "Go"));
	assert_true(find("grows_its_stack")->desc.flags & KTRACE_FUNC_CHECK);
	assert_non_null(strstr(check("push_first", 0)->no_return, "Go"));
	assert_non_null(strstr(find("head_of_loop")->left_out, "head of a loop"));
	assert_non_null(strstr(find("moved_sp")->left_out, "single step"));
	plan_free(&plan);
	/* a value of a Go function would come from the registers of C's arguments */
	assert_int_equal(value_add_args(&options.values, "push_first@1", &err), 0);
	assert_int_equal(plan_make(&plan, go_library, &options, &err), -1);
	assert_non_null(strstr(err.text, "cannot decode push_first"));
	plan_free(&plan);
	value_rules_free(&options.values);
	memset(&options.values, 0, sizeof(options.values));
	options.how = PLAN_RETURN_URETPROBE;
	assert_int_equal(plan_make(&plan, go_library, &options, &err), -1);
	assert_non_null(strstr(err.text, "crashes Go programs"));
	plan_free(&plan);
	plan = saved;
}

static void test_selection(void **state)
{
	struct plan_options options = { .how = PLAN_RETURN_AUTO };
	struct plan few;
	struct err err;

	(void)state;
	match_add(&options.functions, "has_*,push_first");
	match_add(&options.no_functions, "*.cold");
	assert_int_equal(plan_make(&few, library, &options, &err), 0);
	assert_int_equal(few.nr_probed, 2);
	assert_int_equal(few.nr_sites, 5);
	assert_int_equal(plan_copied_text(&few) % 4096, 0);
	assert_int_equal(plan_check_copied(&few, (256 << 20) / plan_copied_text(&few), &err), 0);
	assert_int_equal(plan_check_copied(&few, 1 << 17, &err), -1);
	assert_non_null(strstr(err.text, "in 131072 processes"));
	plan_free(&few);
	match_free(&options.functions);
	match_free(&options.no_functions);
}

static void test_no_match_offers_the_nearest(void **state)
{
	struct plan_options options = { .how = PLAN_RETURN_AUTO };
	struct plan none;
	struct err err;

	(void)state;
	match_add(&options.functions, "push_frist");
	assert_int_equal(plan_make(&none, library, &options, &err), -1);
	assert_non_null(strstr(err.text, "Did you mean push_first"));
	plan_free(&none);
	match_free(&options.functions);
}

/* --- places that users name ---------------------------------------------- */

static void check_no_place(const char *text)
{
	struct place place;

	assert_false(place_parse(&place, text));
}

static void check_place(const char *text, const char *file, const char *name, uint64_t offset)
{
	struct place place;

	assert_true(place_parse(&place, text));
	assert_string_equal(place.file, file);
	if (name)
		assert_string_equal(place.name, name);
	else
		assert_null(place.name);
	assert_int_equal(place.offset, offset);
	place_free(&place);
}

static void test_places_are_told_from_names(void **state)
{
	(void)state;
	check_no_place("main");
	check_no_place("Worker::step");
	check_no_place("f[abi:cxx11]");
	check_no_place("f(a::b, c)");
	check_no_place("<T as core::Debug>::fmt");
	check_no_place(":main");
	check_no_place("prog:");
	check_no_place("prog:+");
	check_no_place("prog:+-1");
	check_no_place("prog:+0x10z");
	check_no_place("prog:+0x10000000000000000");
	check_place("prog:main", "prog", "main", 0);
	check_place("libc.so.6:Worker::step", "libc.so.6", "Worker::step", 0);
	check_place("/a:b/prog:f[abi:cxx11]", "/a:b/prog", "f[abi:cxx11]", 0);
	check_place("prog:+0x1f0", "prog", NULL, 0x1f0);
	check_place("prog:+16", "prog", NULL, 16);
}

static int plan_one(struct plan *one, char *glob, struct err *err)
{
	struct plan_options options = {
		.functions = { .globs = &glob, .nr = 1 }, .how = PLAN_RETURN_AUTO,
	};

	return plan_make(one, library, &options, err);
}

static int plan_offset(struct plan *one, uint64_t offset, struct err *err)
{
	char text[64];

	snprintf(text, sizeof(text), "functions.so:+0x%llx", (unsigned long long)offset);
	return plan_one(one, text, err);
}

/* No value of an overwritten register, and no probe at a named place that would be noticed. */
static void test_refused_places(void **state)
{
	struct plan_options options = { .how = PLAN_RETURN_AUTO };
	uint64_t place = label("behind_pushf", "entry");
	struct plan one;
	struct err err;

	(void)state;
	assert_int_equal(value_add_args(&options.values, "behind_rep@1", &err), 0);
	assert_int_equal(plan_make(&one, library, &options, &err), -1);
	assert_non_null(strstr(err.text, "overwrite arguments"));
	plan_free(&one);
	value_rules_free(&options.values);
	assert_int_equal(plan_offset(&one, place + 2, &err), -1);
	assert_non_null(strstr(err.text, "another result"));
	plan_free(&one);
}

static void test_places(void **state)
{
	uint64_t start = find("moved_sp")->desc.start;
	struct plan one;
	struct err err;

	(void)state;
	assert_int_equal(plan_one(&one, (char *)"functions.so:moved_sp", &err), 0);
	assert_int_equal(one.nr_probed, 1);
	assert_int_equal(one.funcs[0].desc.nr_exits, 1);
	plan_free(&one);
	/* the function itself, by its offset */
	assert_int_equal(plan_offset(&one, start, &err), 0);
	assert_string_equal(one.funcs[0].name, "moved_sp");
	assert_int_equal(one.funcs[0].desc.nr_exits, 1);
	plan_free(&one);
	/* after its "sub $8, %rsp" */
	assert_int_equal(plan_offset(&one, start + 4, &err), 0);
	assert_string_equal(one.funcs[0].name, "moved_sp+0x4");
	assert_int_equal(one.nr_sites, 1);
	assert_int_equal(one.funcs[0].desc.entry, start + 4);
	assert_int_equal(one.funcs[0].desc.ret, KTRACE_RETURN_NONE);
	plan_free(&one);
}

static void test_places_and_other_options(void **state)
{
	char *globs[] = { (char *)"functions.so:*", (char *)"push_first" };
	struct plan_options options = {
		.functions = { .globs = globs, .nr = 1 }, .no_functions = { .globs = globs + 1, .nr = 1 },
		.how = PLAN_RETURN_AUTO,
	};
	struct plan some;
	struct err err;
	size_t i;

	(void)state;
	assert_int_equal(value_add_args(&options.values, "moved_sp@2/x", &err), 0);
	assert_int_equal(plan_make(&some, library, &options, &err), 0);
	for (i = 0; i < some.nr_funcs; i++) {
		/* a function that is not selected may be a jump target */
		if (!strcmp(some.funcs[i].name, "push_first"))
			assert_int_equal(some.funcs[i].desc.ret, KTRACE_RETURN_SILENT);
		assert_int_equal(some.funcs[i].formats.of[1],
				 strcmp(some.funcs[i].name, "moved_sp") ? 0 : 'x');
	}
	plan_free(&some);
	value_rules_free(&options.values);
}

/* FILE:NAME means the functions of that file only. */
static void test_values_of_a_file(void **state)
{
	struct plan_options options = { .how = PLAN_RETURN_AUTO };
	struct plan some;
	struct err err;
	size_t i;

	(void)state;
	memset(&options.values, 0, sizeof(options.values));
	assert_int_equal(value_add_args(&options.values, "functions.*:moved_s?@2/x", &err), 0);
	assert_int_equal(plan_make(&some, library, &options, &err), 0);
	for (i = 0; i < some.nr_funcs; i++)
		assert_int_equal(some.funcs[i].formats.of[1],
				 strcmp(some.funcs[i].name, "moved_sp") ? 0 : 'x');
	plan_free(&some);
	value_rules_free(&options.values);
	memset(&options.values, 0, sizeof(options.values));
	assert_int_equal(value_add_result(&options.values, "other.so:moved_sp", &err), 0);
	assert_int_equal(plan_make(&some, library, &options, &err), -1);
	assert_non_null(strstr(err.text, "is named 'other.so:moved_sp'"));
	plan_free(&some);
	value_rules_free(&options.values);
}

static void check_refused(const char *glob, const char *why)
{
	struct plan one;
	struct err err;

	assert_int_equal(plan_one(&one, (char *)glob, &err), -1);
	assert_non_null(strstr(err.text, why));
	plan_free(&one);
}

static void test_places_that_are_none(void **state)
{
	struct plan one;
	struct err err;

	(void)state;
	assert_int_equal(plan_offset(&one, find("moved_sp")->desc.start + 2, &err), -1);
	assert_non_null(strstr(err.text, "inside an instruction of moved_sp"));
	plan_free(&one);
	check_refused("functions.so:+0", "is not code");
	check_refused("functions.so:+0xffffffffffffffff", "is not code");
	check_refused("functions.so:no_such", "has no function 'no_such'");
	check_refused("other.so:push_first", "No library");
}

/* --- libraries ------------------------------------------------------------ */

/* A name that is missing may be in a library that is loaded later. */
static void test_later_library(void **state)
{
	char *globs[] = { (char *)"no_such", (char *)"plugin.so:start", (char *)"plugin*" };
	struct plan_options options = {
		.functions = { .globs = globs, .nr = 2 }, .below = { .globs = globs, .nr = 1 },
		.how = PLAN_RETURN_AUTO,
		.nested_libs = { .globs = globs + 2, .nr = 1 }, .may_load_more = true,
	};
	struct plan later;
	struct err err = { "" };

	(void)state;
	assert_int_equal(value_add_args(&options.values, "no_such@1", &err), 0);
	assert_int_equal(plan_make(&later, library, &options, &err), 0);
	assert_int_equal(later.nr_probed, 0);
	plan_free(&later);
	options.may_load_more = false;
	assert_int_equal(plan_make(&later, library, &options, &err), -1);
	plan_free(&later);
	value_rules_free(&options.values);
}

/* For a program that is followed, a nested library is planned once, elsewhere. */
static void test_followed(void **state)
{
	char *globs[] = { (char *)"foo", (char *)"libfoo.so" };
	struct plan_options options = {
		.functions = { .globs = globs, .nr = 1 }, .nested_libs = { .globs = globs + 1, .nr = 1 },
		.may_load_more = true, .how = PLAN_RETURN_AUTO,
	};
	struct plan followed;
	struct err err;

	(void)state;
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(plan_make(&followed, "./program", &options, &err), 0);
	assert_int_equal(followed.nr_probed, 1);
	plan_free(&followed);
	options.is_followed = true;
	assert_int_equal(plan_make(&followed, "./program", &options, &err), 0);
	assert_int_equal(followed.nr_funcs, 0);
	plan_free(&followed);
	options.nested_libs.nr = 0;
	assert_int_equal(plan_make(&followed, "./program", &options, &err), 0);
	assert_int_equal(followed.nr_probed, 1);
	assert_true(followed.funcs[0].desc.flags & KTRACE_FUNC_CALLER);
	plan_free(&followed);
	/* a place in a library belongs to no program */
	globs[0] = (char *)"libfoo.so:foo";
	assert_int_equal(plan_make(&followed, "./program", &options, &err), 0);
	assert_int_equal(followed.nr_funcs, 0);
	plan_free(&followed);
}

static struct plan plan_of(struct match functions, struct match below)
{
	struct plan_options options = {
		.functions = functions, .below = below, .how = PLAN_RETURN_AUTO,
	};
	struct plan some;
	struct err err;

	assert_int_equal(plan_make(&some, library, &options, &err), 0);
	return some;
}

/* As in the symbol table, and only by a pattern that is written in this form. */
static void test_mangled_names(void **state)
{
	static char *const mangled[] = { "_Z7mangledi", "_Z7mangl*", "mangled", "mangled(int)" };
	struct match none = { .nr = 0 }, one = { .nr = 1 };
	struct plan some;
	struct err err;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(mangled) / sizeof(mangled[0]); i++) {
		one.globs = (char **)&mangled[i];
		some = plan_of(one, none);
		assert_int_equal(some.nr_funcs, 1);
		assert_string_equal(some.funcs[0].name, "mangled(int)");
		plan_free(&some);
	}
	assert_int_equal(plan_one(&some, (char *)"_*", &err), -1);
	plan_free(&some);
	assert_int_equal(plan_one(&some, (char *)"functions.so:_Z7mangledi", &err), 0);
	assert_int_equal(some.nr_probed, 1);
	plan_free(&some);
}

/* A pattern selects the functions that can limit; a name of one that cannot is refused. */
static void test_bounds_by_pattern(void **state)
{
	char *globs[] = { "p*", "*s", "head_of_loop_c*", "head_of_loop_calls" };
	struct match none = { .nr = 0 }, match = { .globs = globs, .nr = 2 };
	struct plan_options options = { .below = { .globs = globs + 2, .nr = 1 } };
	const struct plan_func *func;
	struct plan some;
	struct err err;
	int i;

	(void)state;
	some = plan_of(none, match);
	for (func = some.funcs; func < some.funcs + some.nr_funcs; func++) {
		if (!strcmp(func->name, "push_first") || !strcmp(func->name, "tail_calls"))
			assert_true(func->desc.flags & KTRACE_FUNC_BELOW);
		/* a function whose end is not seen can limit, too */
		if (!strcmp(func->name, "never_returns"))
			assert_true(func->desc.flags & KTRACE_FUNC_BELOW);
		if (strcmp(func->name, "head_of_loop_calls"))
			continue;
		assert_false(func->desc.flags & KTRACE_FUNC_BELOW);
		assert_true(func->unbound & KTRACE_FUNC_BELOW);
		assert_non_null(plan_unseen(func));
	}
	plan_free(&some);
	/* if it is not selected itself, it is not probed at all */
	match.nr = 2;
	none.globs = globs;
	none.nr = 1;
	some = plan_of(none, match);
	for (func = some.funcs; func < some.funcs + some.nr_funcs; func++)
		if (!strcmp(func->name, "head_of_loop_calls"))
			assert_non_null(strstr(func->left_out, "head of a loop"));
	plan_free(&some);
	for (i = 0; i < 2; i++, options.below.globs++) {
		assert_int_equal(plan_make(&some, library, &options, &err), -1);
		assert_non_null(strstr(err.text, "--below needs the entry and every return of head_of_loop_calls"));
		plan_free(&some);
	}
}

static size_t nr_named(const struct plan *some, const char *begin)
{
	size_t nr = 0, i;

	for (i = 0; i < some->nr_probed; i++)
		nr += !strncmp(some->funcs[i].name, begin, strlen(begin));
	return nr;
}

/* Functions of one name are told apart by their file, or else by their address. */
static void test_same_names(void **state)
{
	char *globs[] = { (char *)"worker", (char *)"next", (char *)"main" };
	struct plan_options options = { .functions = { .globs = globs, .nr = 3 },
					.has_no_libs = true };
	struct plan some;
	char path[4096];
	struct err err;

	(void)state;
	snprintf(path, sizeof(path), "%s/same_names", folder);
	assert_int_equal(plan_make(&some, path, &options, &err), 0);
	assert_int_equal(nr_named(&some, "worker"), 2);
	assert_int_equal(nr_named(&some, "worker [a.c]"), 1);
	assert_int_equal(nr_named(&some, "worker [b.c]"), 1);
	assert_int_equal(nr_named(&some, "next [0x"), 2);
	assert_int_equal(nr_named(&some, "main"), 1);
	assert_int_equal(nr_named(&some, "main ["), 0);
	plan_free(&some);
}

static int set_up(void **state)
{
	struct plan_options options = { .how = PLAN_RETURN_AUTO };
	struct err err;

	(void)state;
	return plan_make(&plan, library, &options, &err);
}

static int tear_down(void **state)
{
	(void)state;
	plan_free(&plan);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_refused_instructions),
		cmocka_unit_test(test_instructions_that_old_kernels_refuse),
		cmocka_unit_test(test_refused_places),
		cmocka_unit_test(test_writable_code),
		cmocka_unit_test(test_jumps),
		cmocka_unit_test(test_silent_jumps),
		cmocka_unit_test(test_cold_part),
		cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_go),
		cmocka_unit_test(test_selection),
		cmocka_unit_test(test_no_match_offers_the_nearest),
		cmocka_unit_test(test_places_are_told_from_names),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_places_and_other_options),
		cmocka_unit_test(test_values_of_a_file),
		cmocka_unit_test(test_places_that_are_none),
		cmocka_unit_test(test_later_library),
		cmocka_unit_test(test_followed),
		cmocka_unit_test(test_mangled_names),
		cmocka_unit_test(test_bounds_by_pattern),
		cmocka_unit_test(test_same_names),
	};

	library = argc > 1 ? argv[1] : "";
	go_library = argc > 2 ? argv[2] : "";
	folder = argc > 3 ? argv[3] : "";
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
