// SPDX-License-Identifier: GPL-2.0
/* Decides which functions the options select, and which of their values are recorded. */
#include <stdlib.h>

#include "plan/maker.h"
#include "util/demangle.h"
#include "util/effort.h"
#include "util/match.h"
#include "util/mem.h"

void plan_parse_values(struct maker *maker)
{
	const struct value_rules *rules = &maker->options->values;
	size_t i;

	maker->values = mem_alloc((rules->nr + 1) * sizeof(*maker->values));
	for (i = 0; i < rules->nr; i++)
		place_parse(&maker->values[i], rules->rules[i].functions.globs[0]);
}

void plan_free_values(struct maker *maker)
{
	size_t i;

	for (i = 0; i < maker->options->values.nr; i++)
		place_free(&maker->values[i]);
	free(maker->values);
}

/* The names of a function: demangled, as shown, and as the linker uses it. */
struct called {
	const char *plain, *name, *symbol;
};

/* Matches every name, so that each pattern that matches one of them is marked as used. */
static bool fits(const struct match *match, const struct called *called)
{
	bool is_fit = match_name(match, called->plain);

	is_fit |= match_name(match, called->name);
	return match_symbol(match, called->symbol) || is_fit;
}

static bool is_named(const struct match *match, const struct called *called)
{
	return match_is_named(match, called->plain) || match_is_named(match, called->name) ||
	       match_is_named(match, called->symbol);
}

static bool is_asked_for(const struct plan_options *options, const struct called *called,
			 bool is_place)
{
	bool is_fit = fits(&options->functions, called);

	return (is_fit || is_place || !options->functions.nr) &&
	       !fits(&options->no_functions, called);
}

/* Takes the roles for --below and --not-below, also for functions that are not shown. */
static void take_roles(const struct plan_options *options, const struct called *called,
		       struct wish *wish)
{
	if (fits(&options->below, called))
		wish->flags |= KTRACE_FUNC_BELOW;
	if (fits(&options->not_below, called))
		wish->flags |= KTRACE_FUNC_NOT_BELOW;
	/* Who names a function does not mean its cold part. */
	wish->is_named = options->functions.nr && !plan_is_cold(called->symbol) &&
			 is_named(&options->functions, called);
	wish->is_bound = is_named(&options->below, called) ||
			 is_named(&options->not_below, called);
}

/* Applies the rules for functions of a certain file, FILE:NAME. */
static void apply_values(const struct maker *maker, unsigned int object, const char *plain,
			 struct value_formats *formats)
{
	const struct value_rules *rules = &maker->options->values;
	const struct place *place;
	struct match match;
	char *glob;
	size_t i;

	for (i = 0; i < rules->nr; i++) {
		place = &maker->values[i];
		if (!place->file || !place->name)
			continue;
		glob = (char *)place->name;
		match = (struct match){ .globs = &glob, .nr = 1 };
		if (match_name(&match, plain) &&
		    place_is_in(place, &maker->plan->objects[object]))
			value_rule_apply(&rules->rules[i], formats);
	}
}

struct wish plan_wish_of(const struct maker *maker, unsigned int object,
			 const struct elf_sym *sym, bool is_place)
{
	const struct plan_options *options = maker->options;
	char *plain = demangle(sym->name), *name = plan_shown_name(maker, object, plain);
	struct called called = { plain, name, sym->name };
	struct wish wish = { .name = NULL };

	take_roles(options, &called, &wish);
	if (is_asked_for(options, &called, is_place)) {
		wish.name = name;
		value_rules_apply(&options->values, plain, name, &wish.formats);
		apply_values(maker, object, plain, &wish.formats);
	} else if (wish.flags) {
		wish.name = name;
		wish.flags |= KTRACE_FUNC_HIDDEN;
	} else {
		free(name);
	}
	free(plain);
	return wish;
}

void plan_add_place(struct maker *maker, unsigned int object, const struct elf_sym *sym,
		    bool is_named)
{
	struct wish wish = plan_wish_of(maker, object, sym, true);

	wish.is_named |= is_named;
	if (wish.name)
		plan_take_wish(plan_add_func(maker, object, wish.name, sym), &wish);
}

void plan_take_wish(struct plan_func *func, const struct wish *wish)
{
	func->desc.flags |= wish->flags;
	func->is_named = wish->is_named;
	func->is_bound = wish->is_bound;
	func->formats = wish->formats;
}

/* Merges the wish for another name of the same function. */
static void add_alias(struct plan_func *func, const struct wish *wish)
{
	bool is_shown = (func->desc.flags & KTRACE_FUNC_HIDDEN) &&
			!(wish->flags & KTRACE_FUNC_HIDDEN);

	func->desc.flags |= wish->flags & ~KTRACE_FUNC_HIDDEN;
	func->is_named |= wish->is_named;
	func->is_bound |= wish->is_bound;
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
	for (sym = file->syms; sym < file->syms + file->nr_syms && !effort_is_spent(); sym++) {
		/*
		 * The options may select any alias; the first selected one is shown. Aliases are
		 * skipped if every pattern has matched and no option can add to the function.
		 */
		is_last = last && last->addr == sym->addr;
		if (is_last && !options->below.nr && !options->not_below.nr &&
		    !options->values.nr && !match_unused(&options->functions))
			continue;
		wish = plan_wish_of(maker, object, sym, false);
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
