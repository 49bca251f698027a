// SPDX-License-Identifier: GPL-2.0
/* Places that users name: FILE:NAME and FILE:+0xOFFSET, in -f, -A and -R. */
#include <stdlib.h>
#include <string.h>

#include "plan/maker.h"
#include "plan/place.h"
#include "util/demangle.h"
#include "util/match.h"
#include "util/mem.h"

/* Adds the functions of FILE:NAME. Returns how many match. */
static size_t add_named(struct maker *maker, unsigned int object, char *glob)
{
	const struct elf_file *file = &maker->plan->objects[object];
	const struct elf_sym *sym, *last = NULL;
	struct match match = { .globs = &glob, .nr = 1 };
	size_t nr = 0;
	char *plain;

	plan_index_colds(maker, file);
	for (sym = file->syms; sym < file->syms + file->nr_syms; sym++) {
		if (last && last->addr == sym->addr)
			continue;
		plain = demangle(sym->name);
		if (match_name(&match, plain) || match_symbol(&match, sym->name)) {
			plan_add_place(maker, object, sym, !strpbrk(glob, "*?["));
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
			return "it is the entry of a probed function";
	return NULL;
}

/* Adds FILE:+0xOFFSET inside a function or outside any. Only its hits are seen, no returns. */
static void add_passed(struct maker *maker, unsigned int object, uint64_t offset,
		       uint64_t addr, const struct elf_sym *sym)
{
	struct plan *plan = maker->plan;
	const char *why = why_no_place(plan, object, offset);
	struct plan_func *func;
	char *base, *plain;

	base = sym ? demangle(sym->name) :
	       mem_string(plan_file_name(plan->objects[object].path));
	plain = mem_format("%s+0x%llx", base,
			   (unsigned long long)(sym ? addr - sym->addr : offset));
	func = plan_add_entry(maker, object, sym ? plan_shown_name(maker, object, plain) :
			 mem_string(plain), addr, offset);
	if (why)
		func->left_out = why;
	func->is_named = true;
	func->desc.ret = KTRACE_RETURN_NONE;
	if (sym)
		func->no_return = "it is a place inside a function";
	free(plain);
	free(base);
}

static int add_offset(struct maker *maker, unsigned int object, const struct place *place,
		      struct err *err)
{
	const struct elf_file *file = &maker->plan->objects[object];
	const struct elf_sym *sym;
	uint64_t addr;

	if (place_find(place, maker->insn, file, &addr, &sym, err))
		return -1;
	if (!sym || sym->addr != addr) {
		add_passed(maker, object, place->offset, addr, sym);
		return 0;
	}
	plan_index_colds(maker, file);
	plan_add_place(maker, object, sym, true);
	return 0;
}

static int add_place(struct maker *maker, size_t glob, const struct place *place,
		     struct err *err)
{
	struct plan *plan = maker->plan;
	bool is_file = false, is_found = false;
	unsigned int i, nr;

	if (plan->nr_objects == 1 && !maker->options->is_followed &&
	    !place_is_in(place, &plan->objects[0]) &&
	    plan_open_libs(plan, maker->options->pid, err))
		return -1;
	/* Places in libraries are planned already, for every program that uses them. */
	nr = maker->options->is_followed ? 1 : plan->nr_objects;
	for (i = 0; i < nr; i++) {
		if (!place_is_in(place, &plan->objects[i]))
			continue;
		is_file = true;
		if (place->name)
			is_found |= add_named(maker, i, (char *)place->name) > 0;
		else if (add_offset(maker, i, place, err))
			return -1;
	}
	if (!is_file)
		return plan_may_lack(maker->options) ? 0 :
		       plan_no_lib(plan, place->file, err);
	if (place->name && !is_found)
		return err_set(err, "%s has no function '%s'; list them with: ktrace ctl attach --binary %s --dry-run.",
			       place->file, place->name, place->file);
	match_use(&maker->options->functions, glob);
	return 0;
}

int plan_add_places(struct maker *maker, struct err *err)
{
	const struct match *functions = &maker->options->functions;
	struct place place;
	int error = 0;
	size_t i;

	for (i = 0; i < functions->nr && !error; i++) {
		if (!place_parse(&place, functions->globs[i]))
			continue;
		error = add_place(maker, i, &place, err);
		place_free(&place);
	}
	return error;
}
