// SPDX-License-Identifier: GPL-2.0
/* Which functions are asked for, and by which names they are shown. */
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "maker.h"
#include "match.h"
#include "mem.h"

const char *plan_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_asked_for(const struct plan_options *options, const char *plain,
			 const char *name, bool is_place)
{
	/* Both, as different patterns may fit them. */
	bool is_fit = match_name(&options->functions, plain);

	is_fit |= match_name(&options->functions, name);
	return (is_fit || is_place || !options->functions.nr) &&
	       !match_name(&options->no_functions, plain) &&
	       !match_name(&options->no_functions, name);
}

/* Functions that bound what is shown, whether they are shown or not. */
static uint8_t role_of(const struct plan_options *options, const char *name)
{
	return (match_name(&options->below, name) ? KTRACE_FUNC_BELOW : 0) |
	       (match_name(&options->not_below, name) ? KTRACE_FUNC_NOT_BELOW : 0);
}

char *plan_shown_name(const struct maker *maker, unsigned int object, const char *plain)
{
	if (!object && !maker->options->with_file_name)
		return mem_string(plain);
	return mem_format("%s@%s", plain,
			  plan_file_name(maker->plan->objects[object].path));
}

static struct wish wish_of(const struct maker *maker, unsigned int object,
			   const struct elf_sym *sym, bool is_place)
{
	const struct plan_options *options = maker->options;
	char *plain = demangle(sym->name), *name = plan_shown_name(maker, object, plain);
	struct wish wish = { NULL, 0, { { 0 } } };

	wish.flags = role_of(options, plain) | role_of(options, name);
	if (is_asked_for(options, plain, name, is_place)) {
		wish.name = name;
		value_rules_apply(&options->values, plain, name, &wish.formats);
		plan_add_values(maker, object, plain, &wish.formats);
	} else if (wish.flags) {
		wish.name = name;
		wish.flags |= KTRACE_FUNC_HIDDEN;
	} else {
		free(name);
	}
	free(plain);
	return wish;
}

struct wish plan_wish_of(const struct maker *maker, unsigned int object,
			 const struct elf_sym *sym)
{
	return wish_of(maker, object, sym, false);
}

void plan_add_place(struct maker *maker, unsigned int object, const struct elf_sym *sym)
{
	struct wish wish = wish_of(maker, object, sym, true);

	if (wish.name)
		plan_take_wish(plan_add_func(maker, object, wish.name, sym), &wish);
}

void plan_take_wish(struct plan_func *func, const struct wish *wish)
{
	func->desc.flags |= wish->flags;
	func->formats = wish->formats;
}

/* What holds for one name of a function holds for it. */
static void add_alias(struct plan_func *func, const struct wish *wish)
{
	bool is_shown = (func->desc.flags & KTRACE_FUNC_HIDDEN) &&
			!(wish->flags & KTRACE_FUNC_HIDDEN);

	func->desc.flags |= wish->flags & ~KTRACE_FUNC_HIDDEN;
	value_formats_merge(&func->formats, &wish->formats);
	if (!is_shown) {
		free(wish->name);
		return;
	}
	func->desc.flags &= ~KTRACE_FUNC_HIDDEN;
	free(func->name);
	func->name = wish->name;
}

void plan_add_all(struct maker *maker, unsigned int object)
{
	const struct plan_options *options = maker->options;
	const struct elf_file *file = &maker->plan->objects[object];
	const struct elf_sym *sym, *last = NULL;
	struct wish wish;
	bool is_last;

	plan_index_colds(maker, file);
	for (sym = file->syms; sym < file->syms + file->nr_syms; sym++) {
		/* Any of the aliases may be asked for; the first is shown. Each pattern is to be matched. */
		is_last = last && last->addr == sym->addr;
		if (is_last && !options->below.nr && !options->not_below.nr &&
		    !options->values.nr && !match_unused(&options->functions))
			continue;
		wish = plan_wish_of(maker, object, sym);
		if (!wish.name)
			continue;
		if (is_last) {
			add_alias(&maker->plan->funcs[maker->plan->nr_funcs - 1], &wish);
			continue;
		}
		last = sym;
		plan_take_wish(plan_add_func(maker, object, wish.name, sym), &wish);
	}
}
