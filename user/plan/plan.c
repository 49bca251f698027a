// SPDX-License-Identifier: GPL-2.0
/* Makes a plan for the module from files and patterns. */
#include <stdlib.h>
#include <string.h>

#include "plan/insn.h"
#include "plan/maker.h"
#include "plan/plan.h"
#include "util/demangle.h"
#include "util/effort.h"
#include "util/match.h"
#include "util/mem.h"

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

const char plan_alias[] = "it is another name of a probed function";

static bool is_same_place(const struct plan_func *a, const struct plan_func *b)
{
	return a->object == b->object && a->addr == b->addr;
}

#define WEAK_FLAGS (KTRACE_FUNC_HIDDEN | KTRACE_FUNC_CALLER)

/* Keeps one function per place: a file may import a function by two names. */
static void leave_out_aliases(struct plan *plan)
{
	struct plan_func *first = plan->funcs, *func;
	uint8_t weak;

	for (func = first; func < plan->funcs + plan->nr_funcs && !func->left_out; func++) {
		if (func == first || !is_same_place(func, first)) {
			first = func;
			continue;
		}
		func->left_out = plan_alias;
		first->is_named |= func->is_named;
		value_formats_merge(&first->formats, &func->formats);
		weak = first->desc.flags & func->desc.flags & WEAK_FLAGS;
		first->desc.flags |= func->desc.flags;
		first->desc.traits |= func->desc.traits;
		first->desc.flags &= ~WEAK_FLAGS | weak;
	}
}

static void record_values(struct plan_func *func)
{
	value_formats_to(&func->formats, &func->desc);
	if (!value_has_args(&func->formats) || !func->args_entry)
		return;
	func->desc.entry = func->args_entry;
	plan_set_stepped(func, func->is_args_stepped);
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
		plan->nr_sites += plan->funcs[i].desc.nr_exits;
		plan->nr_sites += plan->funcs[i].desc.ret != KTRACE_RETURN_SILENT;
	}
}

static int no_symbols(const struct plan *plan, struct err *err)
{
	const struct elf_file *file = &plan->objects[0];

	return err_set(err, "%s has no symbols: it was stripped%s%s%s; install its debug symbols, or build it without strip.",
		       file->path, file->refused ? " (" : "",
		       file->refused ? file->refused : "", file->refused ? ")" : "");
}

int plan_no_function(const struct plan *plan, const char *glob, struct err *err)
{
	const struct elf_file *file = &plan->objects[0];
	char **names = mem_alloc((file->nr_syms + file->nr_imports) * sizeof(*names));
	size_t i, nr = 0;
	char *similar;

	for (i = 0; i < file->nr_syms; i++)
		names[nr++] = demangle(file->syms[i].name);
	for (i = 0; i < file->nr_imports; i++)
		names[nr++] = demangle(file->imports[i].name);
	similar = match_similar(glob, (const char *const *)names, nr);
	err_set(err, "No function of %s matches '%s'.%s", file->path, glob,
		similar ? similar : " List them with --dry-run and no -f.");
	free(similar);
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

/* Fails if no probed function will be shown. */
static int check_shown(const struct plan *plan, const struct plan_options *options,
		       struct err *err)
{
	const struct plan_func *func, *first = NULL;

	for (func = plan->funcs; func < plan->funcs + plan->nr_funcs; func++) {
		if (func->desc.flags & KTRACE_FUNC_HIDDEN)
			continue;
		if (!func->left_out)
			return 0;
		if (!first || (first->is_odd && !func->is_odd))
			first = func;
	}
	if (!options->is_followed && plan_may_lack(options))
		return 0;
	if (options->may_execute && !first)
		return 0;
	if (!plan->objects[0].nr_syms && !plan->objects[0].nr_imports)
		return no_symbols(plan, err);
	if (first)
		return all_left_out(plan, first, err);
	if (options->is_followed)
		return 0;
	return plan_no_function(plan, options->functions.nr ? options->functions.globs[0] : "*",
				err);
}

static bool has_values(const struct value_formats *formats)
{
	return value_has_args(formats) || formats->of[VALUE_RESULT];
}

/* Fails if values cannot be decoded, or if a rule for values matches no function. */
static int check_values(const struct plan *plan, const struct plan_options *options,
			struct err *err)
{
	const struct value_rules *rules = &options->values;
	const struct plan_func *func;
	size_t i;

	for (func = plan->funcs; func < plan->funcs + plan->nr_probed; func++)
		if (func->no_args && value_has_args(&func->formats))
			return err_set(err, "--arg cannot show the arguments of %s: %s.",
				       func->name, func->no_args);
	for (func = plan->funcs; func < plan->funcs + plan->nr_probed; func++)
		if (plan->objects[func->object].is_go && has_values(&func->formats))
			return err_set(err, "--arg and --ret cannot decode %s: it is written in Go, which passes values in its own way; name functions of C only.",
				       func->name);
	for (i = 0; i < rules->nr && !plan_may_lack(options); i++)
		if (!rules->rules[i].is_used)
			return err_set(err, "No traced function is named '%s' (--arg, --ret); list their names with --dry-run, or add it to -f.",
				       rules->rules[i].text);
	return 0;
}

const char *plan_unseen(const struct plan_func *func)
{
	if (!func->left_out && func->desc.ret != KTRACE_RETURN_NONE)
		return NULL;
	return func->left_out ? func->left_out : func->no_return;
}

#define ROLES (KTRACE_FUNC_BELOW | KTRACE_FUNC_NOT_BELOW)

/*
 * --below and --not-below need the returns of a function. A function with unseen returns that they
 * match by a pattern only, not by its exact name, loses this role.
 */
static void unbind(struct plan *plan)
{
	struct plan_func *func;

	for (func = plan->funcs; func < plan->funcs + plan->nr_funcs; func++) {
		if (!(func->desc.flags & ROLES) || func->is_bound || !plan_unseen(func) ||
		    plan_is_cold(func->name))
			continue;
		func->unbound = func->desc.flags & ROLES;
		func->desc.flags &= ~ROLES;
		if ((func->desc.flags & KTRACE_FUNC_HIDDEN) && !func->left_out)
			func->left_out = func->no_return;
	}
}

static int refuse_role(const char *option, const struct plan_func *func, struct err *err)
{
	return err_set(err, "%s needs the entry and every return of %s, which cannot be seen: %s. Name one of its callers.",
		       option, func->name, plan_unseen(func));
}

/* Fails if --below or --not-below matches no function, or one with an unseen entry or return. */
static int check_role(const struct plan *plan, const struct plan_options *options, uint8_t role,
		      struct err *err)
{
	const struct match *match = role == KTRACE_FUNC_BELOW ? &options->below :
								&options->not_below;
	const char *option = role == KTRACE_FUNC_BELOW ? "--below" : "--not-below";
	const struct plan_func *func, *unbound = NULL;
	bool is_found = false;

	for (func = plan->funcs; func < plan->funcs + plan->nr_funcs; func++) {
		/* A pattern that matches a function matches its cold part, too. */
		if (!((func->desc.flags | func->unbound) & role) || plan_is_cold(func->name))
			continue;
		if (func->unbound & role)
			unbound = unbound ? unbound : func;
		else if (plan_unseen(func))
			return refuse_role(option, func, err);
		else
			is_found = true;
	}
	if (is_found || !match->nr || plan_may_lack(options) ||
	    (options->may_execute && role == KTRACE_FUNC_BELOW && !unbound))
		return 0;
	return unbound ? refuse_role(option, unbound, err) :
			 plan_no_function(plan, match->globs[0], err);
}

/* A plan that lacks what could not be read would not be the one that was asked for. */
static int check_effort(const struct plan *plan, size_t nr_refused, struct err *err)
{
	if (effort_nr_refused() == nr_refused)
		return 0;
	return err_set(err, "The functions of %s and its libraries are not probed: %s. Exclude libraries with --no-lib, and choose functions with -f.",
		       plan->objects[0].path, effort_text());
}

static int make(struct plan *plan, const char *path, const struct plan_options *options,
		struct err *err)
{
	struct maker maker = { .plan = plan, .options = options };
	size_t nr_refused = effort_nr_refused();
	int error;

	memset(plan, 0, sizeof(*plan));
	plan->objects = mem_grow(NULL, 0, sizeof(*plan->objects));
	if (elf_file_open(&plan->objects[0], path, err))
		return -1;
	plan->nr_objects = 1;
	if (options->shown)
		plan_show_as(&plan->objects[0], options->shown);
	if (plan->objects[0].has_tsan && !options->pid)
		return err_set(err, "%s contains ThreadSanitizer, which does not start if a probe was hit before; attach to a process of it that runs already (ktrace ctl attach --pid), or link it with -shared-libsan.",
			       plan->objects[0].path);
	maker.insn = insn_open(err);
	if (!maker.insn)
		return -1;
	plan_parse_values(&maker);
	plan_add_all(&maker, 0);
	error = plan_add_libs(&maker, err) || plan_add_places(&maker, err);
	unbind(plan);
	plan_add_silent(&maker);
	plan_drop_jumps(&maker);
	number(plan);
	insn_close(maker.insn);
	free(maker.colds);
	plan_free_values(&maker);
	if (error || check_effort(plan, nr_refused, err) || check_shown(plan, options, err) ||
	    check_values(plan, options, err) ||
	    check_role(plan, options, KTRACE_FUNC_BELOW, err))
		return -1;
	if (check_role(plan, options, KTRACE_FUNC_NOT_BELOW, err))
		return -1;
	plan_tell_apart(plan);
	return 0;
}

int plan_make(struct plan *plan, const char *path, const struct plan_options *options,
	      struct err *err)
{
	int error;

	effort_begin();
	error = make(plan, path, options, err);
	effort_end();
	return error;
}

void plan_free(struct plan *plan)
{
	size_t i;

	for (i = 0; i < plan->nr_funcs; i++) {
		free(plan->funcs[i].name);
		free(plan->funcs[i].exits);
		free(plan->funcs[i].jumps);
	}
	free(plan->funcs);
	for (i = 0; i < plan->nr_objects; i++)
		elf_file_close(&plan->objects[i]);
	free(plan->objects);
	for (i = 0; i < plan->nr_unopened; i++)
		free(plan->unopened[i].name);
	free(plan->unopened);
	memset(plan, 0, sizeof(*plan));
}
