// SPDX-License-Identifier: GPL-2.0
/* One function of a plan: checks whether it can be probed, and where. */
#include <stdlib.h>
#include <string.h>

#include "plan/insn.h"
#include "plan/maker.h"
#include "util/demangle.h"
#include "util/mem.h"

/* --- symbols that cannot be probed -------------------------------------- */

/* Names, followed by the reason, which begins with '*'. */
static const char *const odd_names[] = {
	"_start", "__restore_rt", "_dl_runtime_resolve*", "__morestack",
	"__libc_start_main", "__libc_start_call_main",
	"*it is not entered by a call, or starts the program",
	"setjmp", "_setjmp", "__sigsetjmp", "sigsetjmp", "getcontext", "setcontext",
	"swapcontext", "makecontext", "__longjmp", "___longjmp*",
	"*it returns more than once, or elsewhere",
	"vfork", "__vfork", "clone", "__clone", "clone3", "__clone3",
	"*it returns in two processes",
};

static bool is_odd(const char *pattern, const char *name)
{
	size_t len = strcspn(pattern, "*");

	return pattern[len] ? !strncmp(pattern, name, len) : !strcmp(pattern, name);
}

static const char *odd_reason(const char *name)
{
	size_t nr = sizeof(odd_names) / sizeof(odd_names[0]), i;
	bool is_found = false;

	for (i = 0; i < nr; i++) {
		if (odd_names[i][0] == '*') {
			if (is_found)
				return odd_names[i] + 1;
		} else if (is_odd(odd_names[i], name)) {
			is_found = true;
		}
	}
	return NULL;
}

const char plan_writable[] = "its code is writable, and the kernel places no probe in writable code";

/* The first constructor, as GCC and Clang name it. */
static bool starts_tsan(const char *name)
{
	return !strncmp(name, "_sub_I_00099_", 13) || !strcmp(name, "tsan.module_ctor");
}

static const char *why_left_out(const struct elf_file *file, const struct elf_sym *sym)
{
	uint64_t offset;

	if (plan_is_cold(sym->name))
		return "it is the cold part of a function, not entered by a call";
	if (sym->is_ifunc)
		return "it is an IFUNC: the code that it chooses at start is unknown here";
	if (!sym->size)
		return "its symbol has no size";
	if (!elf_file_offset(file, sym->addr, &offset) ||
	    !elf_file_offset(file, sym->addr + sym->size - 1, &offset))
		return "it is not in a code segment";
	if (elf_file_is_writable(file, sym->addr))
		return plan_writable;
	if (file->is_tsan && starts_tsan(sym->name))
		return "it starts ThreadSanitizer";
	return odd_reason(sym->name);
}

/* The manual lists these symbols: they are left out of every program. */
static bool is_always_left_out(const struct elf_sym *sym)
{
	return plan_is_cold(sym->name) || !sym->size || starts_tsan(sym->name) ||
	       odd_reason(sym->name);
}

/* Functions that end calls without a return, and where such an end is known. */
static const struct {
	const char *name;
	uint8_t traits;
} traits[] = {
	{ "longjmp", KTRACE_TRAIT_THROWS | KTRACE_TRAIT_LEAPS },
	{ "_longjmp", KTRACE_TRAIT_THROWS | KTRACE_TRAIT_LEAPS },
	{ "siglongjmp", KTRACE_TRAIT_THROWS | KTRACE_TRAIT_LEAPS },
	{ "__libc_siglongjmp", KTRACE_TRAIT_THROWS | KTRACE_TRAIT_LEAPS },
	{ "__longjmp_chk", KTRACE_TRAIT_THROWS | KTRACE_TRAIT_LEAPS },
	{ "__cxa_throw", KTRACE_TRAIT_THROWS }, { "__cxa_rethrow", KTRACE_TRAIT_THROWS },
	{ "_Unwind_Resume", KTRACE_TRAIT_THROWS },
	{ "__cxa_begin_catch", KTRACE_TRAIT_CATCHES },
	{ "__cxa_get_exception_ptr", KTRACE_TRAIT_CATCHES },
};

/* The name of an import is followed by '@' and its library. */
static uint8_t traits_of(const char *name)
{
	size_t len = strcspn(name, "@"), i;

	for (i = 0; i < sizeof(traits) / sizeof(traits[0]); i++)
		if (strlen(traits[i].name) == len && !strncmp(traits[i].name, name, len))
			return traits[i].traits;
	return 0;
}

/* --- one function ------------------------------------------------------- */

static void choose_return(struct plan_func *func, enum plan_return how,
			  const struct insn_plan *places, bool is_go)
{
	switch (how) {
	case PLAN_RETURN_NONE:
		func->desc.ret = KTRACE_RETURN_NONE;
		func->no_return = "only entries are requested";
		return;
	case PLAN_RETURN_URETPROBE:
		func->desc.ret = KTRACE_RETURN_URETPROBE;
		if (is_go)
			func->left_out = "a uretprobe crashes Go programs, which move their stacks; use --return auto";
		return;
	default:
		func->no_return = places->no_return;
		func->desc.ret = KTRACE_RETURN_SITES;
		/* Later calls prove no end in Go: each thread runs many stacks. */
		if (places->no_return)
			func->desc.ret = is_go ? KTRACE_RETURN_NONE : KTRACE_RETURN_UNSEEN;
		/* --return ret omits functions without visible returns. */
		if (how == PLAN_RETURN_RET && places->no_return)
			func->left_out = places->no_return;
	}
}

/* The module uses open calls to distinguish calls from iterations, so it needs all exits. */
static void choose_loop(struct plan_func *func)
{
	func->desc.flags |= KTRACE_FUNC_LOOP;
	if (func->desc.ret != KTRACE_RETURN_SITES)
		func->left_out = "its first instruction is the head of a loop";
}

static void fill_exits(struct plan_func *func, const struct elf_file *file,
		       const struct insn_plan *places)
{
	uint64_t offset = 0;
	unsigned int i;

	if (func->desc.ret != KTRACE_RETURN_SITES)
		return;
	func->desc.nr_exits = places->nr_exits;
	func->exits = mem_alloc(places->nr_exits * sizeof(*func->exits));
	memcpy(func->exits, places->exits, places->nr_exits * sizeof(*func->exits));
	for (i = 0; i < places->nr_exits; i++) {
		elf_file_offset(file, places->exits[i].offset, &offset);
		func->exits[i].offset = offset;
	}
	func->nr_jumps = places->nr_jumps;
	func->jumps = mem_alloc((places->nr_jumps + 1) * sizeof(*func->jumps));
	memcpy(func->jumps, places->jumps, places->nr_jumps * sizeof(*func->jumps));
}

/* Makes a function silent: its entry is not probed, of its exits only the returns are. */
static void keep_returns(struct plan_func *func)
{
	unsigned int i, nr = 0;

	for (i = 0; i < func->desc.nr_exits; i++)
		if (func->exits[i].kind == KTRACE_EXIT_RET)
			func->exits[nr++] = func->exits[i];
	func->jumps_elsewhere = nr + func->nr_jumps < func->desc.nr_exits;
	func->desc.nr_exits = nr;
	func->desc.ret = KTRACE_RETURN_SILENT;
	func->desc.flags = KTRACE_FUNC_HIDDEN;
}

static void fill_desc(struct plan_func *func, const struct elf_file *file,
		      const struct elf_sym *sym, const struct elf_sym *cold,
		      const struct insn_plan *places)
{
	uint64_t start = 0, entry = 0, args_entry = 0, cold_start = 0;

	elf_file_offset(file, sym->addr, &start);
	elf_file_offset(file, places->entry, &entry);
	elf_file_offset(file, places->args_entry ? places->args_entry : places->entry,
			&args_entry);
	func->desc.start = start;
	func->desc.end = start + sym->size;
	func->desc.entry = entry;
	plan_set_stepped(func, places->is_stepped);
	func->desc.traits |= traits_of(func->name);
	func->desc.traits |= places->is_endless ? KTRACE_TRAIT_ENDLESS : 0;
	func->args_entry = args_entry;
	func->is_args_stepped = places->args_entry ? places->is_args_stepped : places->is_stepped;
	func->no_args = places->no_args;
	if (cold && elf_file_offset(file, cold->addr, &cold_start)) {
		func->desc.cold_start = cold_start;
		func->desc.cold_end = cold_start + cold->size;
	}
	fill_exits(func, file, places);
}

#define MAX_LABELS 4096

/* Returns true if another function begins inside this one. */
static bool holds_another(const struct elf_file *file, const struct elf_sym *sym)
{
	const struct elf_sym *behind = elf_file_sym_behind(file, sym->addr), *next;

	for (next = behind; next < file->syms + file->nr_syms; next++) {
		if (next->addr - sym->addr >= sym->size)
			return false;
		/* So many labels are in no function of a compiler. */
		if (next->size || next - behind > MAX_LABELS)
			return true;
	}
	return false;
}

static void decode(struct maker *maker, const struct elf_file *file, struct insn_range *range,
		   bool is_alone, struct insn_plan *places)
{
	uint64_t own = is_alone && range->len <= maker->own ? range->len : 0;

	range->budget = maker->budget + own;
	insn_plan(maker->insn, file, range, places);
	if (!places->nr_read)
		return;
	maker->own -= own;
	maker->budget -= places->nr_read - own;
}

static void look_into(struct maker *maker, struct plan_func *func, const struct elf_file *file,
		      const struct elf_sym *sym)
{
	const struct elf_sym *cold = plan_cold_of(maker, sym);
	struct insn_range range = { .addr = sym->addr, .len = sym->size };
	bool is_alone = !holds_another(file, sym);
	struct insn_plan places;

	if (cold) {
		range.cold_addr = cold->addr;
		range.cold_len = cold->size;
	}
	decode(maker, file, &range, is_alone, &places);
	func->left_out = places.no_entry;
	if (func->left_out)
		return;
	/* An exit could belong to either function. */
	if (!is_alone) {
		places.no_return = "another function begins inside it";
		places.is_endless = false;
	}
	if (file->is_go)
		places.no_return = "it is a Go function: goroutines change threads, and their stacks move";
	choose_return(func, maker->options->how, &places, file->is_go);
	if (places.is_check)
		func->desc.flags |= KTRACE_FUNC_CHECK;
	if (places.is_loop)
		choose_loop(func);
	fill_desc(func, file, sym, cold, &places);
}

static struct plan_func *add(struct plan *plan, unsigned int object, char *name, uint64_t addr)
{
	struct plan_func *func;

	plan->funcs = mem_grow(plan->funcs, plan->nr_funcs, sizeof(*plan->funcs));
	func = &plan->funcs[plan->nr_funcs++];
	func->name = name;
	func->object = object;
	func->addr = addr;
	return func;
}

struct plan_func *plan_add_func(struct maker *maker, unsigned int object, char *name,
				  const struct elf_sym *sym)
{
	const struct elf_file *file = &maker->plan->objects[object];
	struct plan_func *func = add(maker->plan, object, name, sym->addr);

	func->source = sym->source;
	func->left_out = why_left_out(file, sym);
	func->is_odd = is_always_left_out(sym);
	if (!func->left_out)
		look_into(maker, func, file, sym);
	return func;
}

static void drop_last(struct plan *plan)
{
	struct plan_func *func = &plan->funcs[--plan->nr_funcs];

	free(func->name);
	free(func->exits);
	free(func->jumps);
}

void plan_add_returns(struct maker *maker, unsigned int object, uint64_t addr)
{
	struct plan *plan = maker->plan;
	const struct elf_sym *sym = elf_file_sym_at(&plan->objects[object], addr);
	struct plan_func *func;
	char *plain;

	if (!sym || sym->addr != addr)
		return;
	plain = demangle(sym->name);
	func = plan_add_func(maker, object, plan_shown_name(maker, object, plain), sym);
	free(plain);
	if (!func->left_out && func->desc.ret == KTRACE_RETURN_SITES)
		keep_returns(func);
	else
		drop_last(plan);
}

struct plan_func *plan_add_entry(struct maker *maker, unsigned int object, char *name,
				   uint64_t addr, uint64_t offset)
{
	struct plan_func *func = add(maker->plan, object, name, addr);

	func->no_return = "its end is unknown: it has no symbol";
	func->desc.ret = maker->options->how == PLAN_RETURN_NONE ? KTRACE_RETURN_NONE :
								   KTRACE_RETURN_UNSEEN;
	func->desc.start = func->desc.entry = offset;
	func->desc.end = offset + 1;
	func->left_out = elf_file_is_writable(&maker->plan->objects[object], addr) ? plan_writable :
			 insn_why_not(maker->insn, &maker->plan->objects[object], addr);
	return func;
}
