// SPDX-License-Identifier: GPL-2.0
/* From files and patterns to what the module is told. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "demangle.h"
#include "ifunc.h"
#include "insn.h"
#include "libs.h"
#include "mem.h"
#include "place.h"
#include "plan.h"
#include "symbols.h"

#define PAGE_LEN 4096

/* --- what is not a function --------------------------------------------- */

/* A reason follows its names. */
static const char *const odd_names[] = {
	"_start", "__restore_rt", "_dl_runtime_resolve*", "__morestack",
	"__libc_start_main", "__libc_start_call_main",
	"*it is not entered by a call, or begins the program",
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

static bool is_cold(const char *name)
{
	const char *at = strstr(name, ".cold");

	return at && (!at[5] || at[5] == '.');
}

static const char *why_left_out(const struct elf_file *file, const struct elf_sym *sym)
{
	uint64_t offset;

	if (is_cold(sym->name))
		return "it is the cold part of a function, not entered by a call";
	if (sym->is_ifunc)
		return "it is an IFUNC: it chooses code at start, and which cannot be told here";
	if (!sym->size)
		return "its symbol has no size";
	if (!elf_file_offset(file, sym->addr, &offset) ||
	    !elf_file_offset(file, sym->addr + sym->size - 1, &offset))
		return "it is not in a code segment";
	return odd_reason(sym->name);
}

/* --- one function ------------------------------------------------------- */

struct maker {
	struct plan *plan;
	const struct plan_options *options;
	struct insn *insn;
	const struct elf_sym **colds;	/* the file's cold parts, by name */
	size_t nr_colds;
	struct ifunc ifunc;
};

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct elf_sym *const *)a)->name,
		      (*(const struct elf_sym *const *)b)->name);
}

static void index_colds(struct maker *maker, const struct elf_file *file)
{
	size_t i;

	maker->nr_colds = 0;
	for (i = 0; i < file->nr_syms; i++) {
		if (!is_cold(file->syms[i].name))
			continue;
		maker->colds = mem_grow(maker->colds, maker->nr_colds, sizeof(*maker->colds));
		maker->colds[maker->nr_colds++] = &file->syms[i];
	}
	if (maker->nr_colds)
		qsort(maker->colds, maker->nr_colds, sizeof(*maker->colds), by_name);
}

/* Local functions of one name may each have one: the nearest is taken. */
static const struct elf_sym *cold_of(const struct maker *maker, const struct elf_sym *sym)
{
	const struct elf_sym *best = NULL;
	size_t len = strlen(sym->name), low = 0, high = maker->nr_colds, mid;
	int64_t far, best_far = INT64_MAX;

	while (low < high) {
		mid = (low + high) / 2;
		if (strncmp(maker->colds[mid]->name, sym->name, len) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < maker->nr_colds && !strncmp(maker->colds[low]->name, sym->name, len); low++) {
		if (strncmp(maker->colds[low]->name + len, ".cold", 5))
			continue;
		far = llabs((int64_t)(maker->colds[low]->addr - sym->addr));
		if (far < best_far) {
			best = maker->colds[low];
			best_far = far;
		}
	}
	return best;
}

static void choose_return(struct plan_func *func, enum plan_return how,
			  const struct insn_plan *places, bool is_go)
{
	switch (how) {
	case PLAN_RETURN_NONE:
		func->desc.ret = KTRACE_RETURN_NONE;
		func->no_return = "only entries are asked for";
		return;
	case PLAN_RETURN_URETPROBE:
		func->desc.ret = KTRACE_RETURN_URETPROBE;
		if (is_go)
			func->left_out = "a uretprobe crashes programs of Go, which copy their stacks; take --return auto";
		return;
	default:
		func->no_return = places->no_return;
		func->desc.ret = places->no_return ? KTRACE_RETURN_NONE : KTRACE_RETURN_SITES;
		/* Who asks for ret-sites only wants no function without. */
		if (how == PLAN_RETURN_RET && places->no_return)
			func->left_out = places->no_return;
	}
}

/* Its calls are told from turns of its loop by open frames. */
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
	func->args_entry = args_entry;
	if (cold && elf_file_offset(file, cold->addr, &cold_start)) {
		func->desc.cold_start = cold_start;
		func->desc.cold_end = cold_start + cold->size;
	}
	fill_exits(func, file, places);
}

/* Does another function begin inside of this one? */
static bool holds_another(const struct elf_file *file, const struct elf_sym *sym)
{
	size_t low = 0, high = file->nr_syms, mid;
	const struct elf_sym *next;

	while (low < high) {
		mid = (low + high) / 2;
		if (file->syms[mid].addr <= sym->addr)
			low = mid + 1;
		else
			high = mid;
	}
	for (next = file->syms + low; next < file->syms + file->nr_syms; next++) {
		if (next->addr - sym->addr >= sym->size)
			return false;
		if (next->size)
			return true;
	}
	return false;
}

static void look_into(struct maker *maker, struct plan_func *func, const struct elf_file *file,
		      const struct elf_sym *sym)
{
	const struct elf_sym *cold = cold_of(maker, sym);
	struct insn_range range = { sym->addr, sym->size, 0, 0 };
	struct insn_plan places;

	if (cold) {
		range.cold_addr = cold->addr;
		range.cold_len = cold->size;
	}
	insn_plan(maker->insn, file, &range, &places);
	func->left_out = places.no_entry;
	if (func->left_out)
		return;
	/* Whose exits they are could not be told. */
	if (holds_another(file, sym))
		places.no_return = "another function begins inside of it";
	if (file->is_go)
		places.no_return = "it is of Go: goroutines change threads, and their stacks move";
	choose_return(func, maker->options->how, &places, file->is_go);
	if (places.is_check)
		func->desc.flags |= KTRACE_FUNC_CHECK;
	if (places.is_loop)
		choose_loop(func);
	fill_desc(func, file, sym, cold, &places);
}

static struct plan_func *add_func(struct maker *maker, unsigned int object, char *name,
				  const struct elf_sym *sym)
{
	struct plan *plan = maker->plan;
	const struct elf_file *file = &plan->objects[object];
	struct plan_func *func;

	plan->funcs = mem_grow(plan->funcs, plan->nr_funcs, sizeof(*plan->funcs));
	func = &plan->funcs[plan->nr_funcs++];
	func->name = name;
	func->object = object;
	func->addr = sym->addr;
	func->left_out = why_left_out(file, sym);
	if (!func->left_out)
		look_into(maker, func, file, sym);
	return func;
}

/* An address without a function around it, or inside of one: its return is not seen. */
static struct plan_func *add_entry(struct maker *maker, unsigned int object, char *name,
				   uint64_t addr, uint64_t offset)
{
	struct plan *plan = maker->plan;
	struct plan_func *func;

	plan->funcs = mem_grow(plan->funcs, plan->nr_funcs, sizeof(*plan->funcs));
	func = &plan->funcs[plan->nr_funcs++];
	func->name = name;
	func->object = object;
	func->addr = addr;
	func->no_return = "no symbol says where it ends";
	func->desc.ret = KTRACE_RETURN_NONE;
	func->desc.start = func->desc.entry = offset;
	func->desc.end = offset + 1;
	return func;
}

/* --- functions of a file ------------------------------------------------ */

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_asked_for(const struct plan_options *options, const char *plain,
			 const char *name)
{
	return (!options->functions.nr || match_name(&options->functions, plain) ||
		match_name(&options->functions, name)) &&
	       !match_name(&options->no_functions, plain) &&
	       !match_name(&options->no_functions, name);
}

/* Functions that bound what is shown, whether they are shown or not. */
static uint8_t role_of(const struct plan_options *options, const char *name)
{
	return (match_name(&options->below, name) ? KTRACE_FUNC_BELOW : 0) |
	       (match_name(&options->not_below, name) ? KTRACE_FUNC_NOT_BELOW : 0);
}

static char *shown_name(const struct maker *maker, unsigned int object, const char *plain)
{
	if (!object && !maker->options->with_file_name)
		return mem_string(plain);
	return mem_format("%s@%s", plain, file_name(maker->plan->objects[object].path));
}

/* What is asked for under one name of a function. */
struct wish {
	char *name;		/* as it will be shown; NULL: it is not asked for */
	uint8_t flags;
	struct value_formats formats;
};

static struct wish wish_of(const struct maker *maker, unsigned int object,
			   const struct elf_sym *sym)
{
	const struct plan_options *options = maker->options;
	char *plain = demangle(sym->name), *name = shown_name(maker, object, plain);
	struct wish wish = { NULL, 0, { { 0 } } };

	wish.flags = role_of(options, plain) | role_of(options, name);
	if (is_asked_for(options, plain, name)) {
		wish.name = name;
		value_rules_apply(&options->values, plain, name, &wish.formats);
	} else if (wish.flags) {
		wish.name = name;
		wish.flags |= KTRACE_FUNC_HIDDEN;
	} else {
		free(name);
	}
	free(plain);
	return wish;
}

static void take_wish(struct plan_func *func, const struct wish *wish)
{
	func->desc.flags |= wish->flags;
	func->formats = wish->formats;
}

static void add_formats(struct value_formats *to, const struct value_formats *from)
{
	size_t i;

	for (i = 0; i < sizeof(to->of); i++)
		if (!to->of[i])
			to->of[i] = from->of[i];
}

/* What holds for one name of a function holds for it. */
static void add_alias(struct plan_func *func, const struct wish *wish)
{
	bool is_shown = (func->desc.flags & KTRACE_FUNC_HIDDEN) &&
			!(wish->flags & KTRACE_FUNC_HIDDEN);

	func->desc.flags |= wish->flags & ~KTRACE_FUNC_HIDDEN;
	add_formats(&func->formats, &wish->formats);
	if (!is_shown) {
		free(wish->name);
		return;
	}
	func->desc.flags &= ~KTRACE_FUNC_HIDDEN;
	free(func->name);
	func->name = wish->name;
}

static void add_all(struct maker *maker, unsigned int object)
{
	const struct plan_options *options = maker->options;
	const struct elf_file *file = &maker->plan->objects[object];
	const struct elf_sym *sym, *last = NULL;
	struct wish wish;
	bool is_last;

	index_colds(maker, file);
	for (sym = file->syms; sym < file->syms + file->nr_syms; sym++) {
		/* Any of the aliases may be asked for; the first is shown. */
		is_last = last && last->addr == sym->addr;
		if (is_last && !options->below.nr && !options->not_below.nr &&
		    !options->values.nr)
			continue;
		wish = wish_of(maker, object, sym);
		if (!wish.name)
			continue;
		if (is_last) {
			add_alias(&maker->plan->funcs[maker->plan->nr_funcs - 1], &wish);
			continue;
		}
		last = sym;
		take_wish(add_func(maker, object, wish.name, sym), &wish);
	}
}

/* --- libraries ---------------------------------------------------------- */

static bool is_open(const struct plan *plan, const char *path)
{
	struct stat a, b;
	size_t i;

	if (stat(path, &a))
		return true;
	for (i = 0; i < plan->nr_objects; i++)
		if (!fstat(plan->objects[i].fd, &b) && a.st_dev == b.st_dev &&
		    a.st_ino == b.st_ino)
			return true;
	return false;
}

static void show_as(struct elf_file *file, const char *name)
{
	free(file->path);
	file->path = mem_string(name);
}

static void open_libs(struct plan *plan, pid_t pid)
{
	struct err ignored;
	struct lib *libs;
	size_t nr = libs_of(&plan->objects[0], pid, &libs), i;

	for (i = 0; i < nr; i++) {
		if (is_open(plan, libs[i].file))
			continue;
		plan->objects = mem_grow(plan->objects, plan->nr_objects,
					 sizeof(*plan->objects));
		if (elf_file_open(&plan->objects[plan->nr_objects], libs[i].file, &ignored))
			continue;
		show_as(&plan->objects[plan->nr_objects++], libs[i].name);
	}
	libs_free(libs, nr);
}

static bool is_lib(const struct match *globs, const struct elf_file *lib)
{
	return match_name(globs, file_name(lib->path));
}

static int no_lib(const struct plan *plan, const char *glob, struct err *err)
{
	const char **names = mem_alloc(plan->nr_objects * sizeof(*names)), *nearest[3];
	size_t i, nr_near;
	char text[512] = "";

	for (i = 1; i < plan->nr_objects; i++)
		names[i - 1] = file_name(plan->objects[i].path);
	nr_near = match_nearest(glob, names, plan->nr_objects - 1, nearest, 3);
	for (i = 0; i < nr_near; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
			 i ? ", " : " Did you mean ", nearest[i]);
	free(names);
	return err_set(err, "No library of %s matches '%s'.%s%s", plan->objects[0].path, glob,
		       text, nr_near ? "?" : " List them with ldd.");
}

/* Each pattern has to name one. */
static int check_libs(const struct plan *plan, const struct match *globs, struct err *err)
{
	struct match one = { NULL, 1 };
	size_t i, object;

	for (i = 0; i < globs->nr; i++) {
		one.globs = &globs->globs[i];
		for (object = 1; object < plan->nr_objects; object++)
			if (is_lib(&one, &plan->objects[object]))
				break;
		if (object == plan->nr_objects)
			return no_lib(plan, globs->globs[i], err);
	}
	return 0;
}

/* The code that was chosen; a stripped library does not say where it ends. */
static struct plan_func *add_chosen(struct maker *maker, unsigned int object, char *name,
				    uint64_t addr)
{
	const struct elf_file *lib = &maker->plan->objects[object];
	const struct elf_sym *sym = elf_file_sym_at(lib, addr);
	uint64_t offset = 0;

	if (sym && sym->addr == addr)
		return add_func(maker, object, name, sym);
	elf_file_offset(lib, addr, &offset);
	return add_entry(maker, object, name, addr, offset);
}

static void add_import(struct maker *maker, unsigned int object, const struct elf_import *import,
		       const struct elf_sym *sym)
{
	struct plan_func *func;
	uint64_t addr;
	struct wish wish = wish_of(maker, object, sym);

	if (!wish.name)
		return;
	if (sym->is_ifunc &&
	    ifunc_resolve(&maker->ifunc, import, &maker->plan->objects[object], &addr))
		func = add_chosen(maker, object, wish.name, addr);
	else
		func = add_func(maker, object, wish.name, sym);
	func->desc.flags |= KTRACE_FUNC_CALLER;
	take_wish(func, &wish);
}

/* What the file imports, as far as the library defines it and none searched before. */
static void add_imports(struct maker *maker, unsigned int object, struct elf_sym *found,
			bool *is_done, bool is_wanted)
{
	const struct plan *plan = maker->plan;
	size_t i;

	symbols_resolve(&plan->objects[object], &plan->objects[0], found);
	if (is_wanted)
		index_colds(maker, &plan->objects[object]);
	for (i = 0; i < plan->objects[0].nr_imports; i++) {
		if (!found[i].name || is_done[i])
			continue;
		is_done[i] = true;
		if (is_wanted)
			add_import(maker, object, &plan->objects[0].imports[i], &found[i]);
	}
}

static bool is_import_wanted(const struct plan_options *options, const struct elf_file *lib)
{
	return !options->has_no_libs && (!options->libs.nr || is_lib(&options->libs, lib)) &&
	       !is_lib(&options->nested_libs, lib);
}

static int add_libs(struct maker *maker, struct err *err)
{
	const struct plan_options *options = maker->options;
	struct plan *plan = maker->plan;
	size_t nr = plan->objects[0].nr_imports, object;
	struct elf_sym *found;
	bool *is_done;

	if (!options->nested_libs.nr && !options->libs.nr && (!nr || options->has_no_libs))
		return 0;
	open_libs(plan, options->pid);
	if (check_libs(plan, &options->libs, err) ||
	    (!options->may_load_more && check_libs(plan, &options->nested_libs, err)))
		return -1;
	ifunc_open(&maker->ifunc, &plan->objects[0], options->pid);
	found = mem_alloc((nr + 1) * sizeof(*found));
	is_done = mem_alloc((nr + 1) * sizeof(*is_done));
	for (object = 1; object < plan->nr_objects; object++) {
		add_imports(maker, object, found, is_done,
			    is_import_wanted(options, &plan->objects[object]));
		if (is_lib(&options->nested_libs, &plan->objects[object]))
			add_all(maker, object);
	}
	free(is_done);
	free(found);
	ifunc_close(&maker->ifunc);
	return 0;
}

/* --- places that users name --------------------------------------------- */

/* FILE:NAME. Returns how many were found. */
static size_t add_named(struct maker *maker, unsigned int object, char *glob)
{
	const struct elf_file *file = &maker->plan->objects[object];
	const struct elf_sym *sym, *last = NULL;
	struct match match = { &glob, 1 };
	size_t nr = 0;
	char *plain;

	index_colds(maker, file);
	for (sym = file->syms; sym < file->syms + file->nr_syms; sym++) {
		if (last && last->addr == sym->addr)
			continue;
		plain = demangle(sym->name);
		if (match_name(&match, plain)) {
			add_func(maker, object, shown_name(maker, object, plain), sym);
			last = sym;
			nr++;
		}
		free(plain);
	}
	return nr;
}

static const char *why_no_place(const struct plan *plan, unsigned int object, uint64_t offset)
{
	const struct plan_func *func;

	for (func = plan->funcs; func < plan->funcs + plan->nr_funcs; func++)
		if (!func->left_out && func->object == object && func->desc.entry == offset)
			return "there is a probed function's entry";
	return NULL;
}

/* FILE:+0xOFFSET: seen when it is passed, whatever comes of it. */
static void add_passed(struct maker *maker, unsigned int object, uint64_t offset,
		       uint64_t addr, const struct elf_sym *sym)
{
	struct plan *plan = maker->plan;
	const char *why = why_no_place(plan, object, offset);
	struct plan_func *func;
	char *base, *plain;

	base = sym ? demangle(sym->name) : mem_string(file_name(plan->objects[object].path));
	plain = mem_format("%s+0x%llx", base,
			   (unsigned long long)(sym ? addr - sym->addr : offset));
	func = add_entry(maker, object, sym ? shown_name(maker, object, plain) :
			 mem_string(plain), addr, offset);
	func->left_out = why;
	if (sym)
		func->no_return = "it is a place inside of a function";
	free(plain);
	free(base);
}

static int add_offset(struct maker *maker, unsigned int object, const struct place *place,
		      struct err *err)
{
	const struct elf_file *file = &maker->plan->objects[object];
	const struct elf_sym *sym;
	uint64_t addr;
	char *plain;

	if (place_find(place, maker->insn, file, &addr, &sym, err))
		return -1;
	if (!sym || sym->addr != addr) {
		add_passed(maker, object, place->offset, addr, sym);
		return 0;
	}
	plain = demangle(sym->name);
	index_colds(maker, file);
	add_func(maker, object, shown_name(maker, object, plain), sym);
	free(plain);
	return 0;
}

static int add_place(struct maker *maker, const struct place *place, struct err *err)
{
	struct plan *plan = maker->plan;
	bool is_file = false, is_found = false;
	unsigned int i;

	if (plan->nr_objects == 1 && !place_is_in(place, &plan->objects[0]))
		open_libs(plan, maker->options->pid);
	for (i = 0; i < plan->nr_objects; i++) {
		if (!place_is_in(place, &plan->objects[i]))
			continue;
		is_file = true;
		if (place->name)
			is_found |= add_named(maker, i, (char *)place->name) > 0;
		else if (add_offset(maker, i, place, err))
			return -1;
	}
	if (!is_file)
		return no_lib(plan, place->file, err);
	if (place->name && !is_found)
		return err_set(err, "%s has no function '%s'; list them with: ktrace ctl attach --binary %s --dry-run.",
			       place->file, place->name, place->file);
	return 0;
}

static int add_places(struct maker *maker, struct err *err)
{
	const struct match *functions = &maker->options->functions;
	struct place place;
	int error = 0;
	size_t i;

	for (i = 0; i < functions->nr && !error; i++) {
		if (!place_parse(&place, functions->globs[i]))
			continue;
		error = add_place(maker, &place, err);
		place_free(&place);
	}
	return error;
}

/* --- the whole ---------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const struct plan_func *x = a, *y = b;

	if (!x->left_out != !y->left_out)
		return x->left_out ? 1 : -1;
	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return strcmp(x->name, y->name);
}

static bool is_same_place(const struct plan_func *a, const struct plan_func *b)
{
	return a->object == b->object && a->addr == b->addr;
}

#define WEAK_FLAGS (KTRACE_FUNC_HIDDEN | KTRACE_FUNC_CALLER)

/* One place, one function: an import may have two names for it. */
static void leave_out_aliases(struct plan *plan)
{
	struct plan_func *first = plan->funcs, *func;
	uint8_t weak;

	for (func = first; func < plan->funcs + plan->nr_funcs && !func->left_out; func++) {
		if (func == first || !is_same_place(func, first)) {
			first = func;
			continue;
		}
		func->left_out = "it is another name of a probed function";
		add_formats(&first->formats, &func->formats);
		weak = first->desc.flags & func->desc.flags & WEAK_FLAGS;
		first->desc.flags |= func->desc.flags;
		first->desc.flags &= ~WEAK_FLAGS | weak;
	}
}

static void record_values(struct plan_func *func)
{
	value_formats_to(&func->formats, &func->desc);
	if (value_has_args(&func->formats) && func->args_entry)
		func->desc.entry = func->args_entry;
}

static void number(struct plan *plan)
{
	size_t i;

	if (plan->nr_funcs)
		qsort(plan->funcs, plan->nr_funcs, sizeof(*plan->funcs), by_place);
	leave_out_aliases(plan);
	if (plan->nr_funcs)
		qsort(plan->funcs, plan->nr_funcs, sizeof(*plan->funcs), by_place);
	for (i = 0; i < plan->nr_funcs && !plan->funcs[i].left_out; i++) {
		plan->funcs[i].desc.func = i;
		record_values(&plan->funcs[i]);
		plan->nr_probed++;
		plan->nr_sites += 1 + plan->funcs[i].desc.nr_exits;
	}
}

static int no_symbols(const struct plan *plan, struct err *err)
{
	const struct elf_file *file = &plan->objects[0];

	return err_set(err, "%s has no symbols: it was stripped%s%s%s; install its debug symbols, or build it without strip.",
		       file->path, file->refused ? " (" : "",
		       file->refused ? file->refused : "", file->refused ? ")" : "");
}

static int no_match(const struct plan *plan, const char *glob, struct err *err)
{
	const struct elf_file *file = &plan->objects[0];
	char **names = mem_alloc((file->nr_syms + file->nr_imports) * sizeof(*names));
	const char *nearest[3];
	size_t i, nr = 0, nr_near;
	char text[512] = "";

	for (i = 0; i < file->nr_syms; i++)
		names[nr++] = demangle(file->syms[i].name);
	for (i = 0; i < file->nr_imports; i++)
		names[nr++] = demangle(file->imports[i].name);
	nr_near = match_nearest(glob, (const char *const *)names, nr, nearest, 3);
	for (i = 0; i < nr_near; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
			 i ? ", " : " Did you mean ", nearest[i]);
	err_set(err, "No function of %s matches '%s'.%s%s", file->path, glob, text,
		nr_near ? "?" : " List them with --dry-run and no -f.");
	while (nr)
		free(names[--nr]);
	free(names);
	return -1;
}

static int all_left_out(const struct plan *plan, const struct plan_func *first,
			struct err *err)
{
	return err_set(err, "None of the %zu matching functions can be probed; %s: %s. See them all with --dry-run.",
		       plan->nr_funcs, first->name, first->left_out);
}

/* Is something probed that will be shown? */
static int check_shown(const struct plan *plan, const struct plan_options *options,
		       struct err *err)
{
	const struct plan_func *func, *first = NULL;

	for (func = plan->funcs; func < plan->funcs + plan->nr_funcs; func++) {
		if (func->desc.flags & KTRACE_FUNC_HIDDEN)
			continue;
		if (!func->left_out)
			return 0;
		first = first ? first : func;
	}
	if (!plan->objects[0].nr_syms && !plan->objects[0].nr_imports)
		return no_symbols(plan, err);
	if (first)
		return all_left_out(plan, first, err);
	return no_match(plan, options->functions.nr ? options->functions.globs[0] : "*", err);
}

/* Whoever names a function to see its values wants to see them. */
static int check_values(const struct value_rules *rules, struct err *err)
{
	size_t i;

	for (i = 0; i < rules->nr; i++)
		if (!rules->rules[i].is_used)
			return err_set(err, "No function that is traced has the name of '%s' (--arg, --ret); see their names with --dry-run, or add it to -f.",
				       rules->rules[i].text);
	return 0;
}

/* Functions that bound what is shown must be there, with a beginning and an end. */
static int check_role(const struct plan *plan, const struct match *match, uint8_t role,
		      struct err *err)
{
	const char *option = role == KTRACE_FUNC_BELOW ? "--below" : "--not-below", *why;
	const struct plan_func *func;
	bool is_found = false;

	for (func = plan->funcs; func < plan->funcs + plan->nr_funcs; func++) {
		/* A pattern that fits a function fits its cold part too. */
		if (!(func->desc.flags & role) || is_cold(func->name))
			continue;
		why = func->left_out ? func->left_out : func->no_return;
		if (why && func->desc.ret != KTRACE_RETURN_SITES &&
		    func->desc.ret != KTRACE_RETURN_URETPROBE)
			return err_set(err, "%s needs the entry and every return of %s, which cannot be seen: %s. Name a function around it.",
				       option, func->name, why);
		is_found = true;
	}
	return is_found || !match->nr ? 0 : no_match(plan, match->globs[0], err);
}

int plan_make(struct plan *plan, const char *path, const struct plan_options *options,
	      struct err *err)
{
	struct maker maker = { .plan = plan, .options = options };
	int error;

	memset(plan, 0, sizeof(*plan));
	plan->objects = mem_grow(NULL, 0, sizeof(*plan->objects));
	if (elf_file_open(&plan->objects[0], path, err))
		return -1;
	plan->nr_objects = 1;
	if (options->shown)
		show_as(&plan->objects[0], options->shown);
	maker.insn = insn_open(err);
	if (!maker.insn)
		return -1;
	add_all(&maker, 0);
	error = add_libs(&maker, err) || add_places(&maker, err);
	number(plan);
	insn_close(maker.insn);
	free(maker.colds);
	if (error || check_shown(plan, options, err) ||
	    check_values(&options->values, err) ||
	    check_role(plan, &options->below, KTRACE_FUNC_BELOW, err))
		return -1;
	return check_role(plan, &options->not_below, KTRACE_FUNC_NOT_BELOW, err);
}

void plan_free(struct plan *plan)
{
	size_t i;

	for (i = 0; i < plan->nr_funcs; i++) {
		free(plan->funcs[i].name);
		free(plan->funcs[i].exits);
	}
	free(plan->funcs);
	for (i = 0; i < plan->nr_objects; i++)
		elf_file_close(&plan->objects[i]);
	free(plan->objects);
	memset(plan, 0, sizeof(*plan));
}

/* --- copied text -------------------------------------------------------- */

struct page {
	unsigned int object;
	uint64_t number;
};

static int by_page(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct page));
}

static void add_page(struct page **pages, size_t *nr, unsigned int object, uint64_t offset)
{
	*pages = mem_grow(*pages, *nr, sizeof(**pages));
	(*pages)[*nr].object = object;
	(*pages)[(*nr)++].number = offset / PAGE_LEN;
}

uint64_t plan_copied_text(const struct plan *plan)
{
	const struct plan_func *func;
	struct page *pages = NULL;
	size_t nr = 0, nr_different = 0, i;

	for (func = plan->funcs; func < plan->funcs + plan->nr_probed; func++) {
		add_page(&pages, &nr, func->object, func->desc.entry);
		for (i = 0; i < func->desc.nr_exits; i++)
			add_page(&pages, &nr, func->object, func->exits[i].offset);
	}
	if (nr)
		qsort(pages, nr, sizeof(*pages), by_page);
	for (i = 0; i < nr; i++)
		nr_different += !i || by_page(&pages[i], &pages[i - 1]);
	free(pages);
	return nr_different * PAGE_LEN;
}
