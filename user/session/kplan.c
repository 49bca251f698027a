// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "session/kplan.h"
#include "system/ksyms.h"
#include "system/ktypes.h"
#include "util/hash.h"
#include "util/mem.h"

#define TYPES "/sys/kernel/btf"
#define BATCH_LEN 40000	/* bytes of names in one message */

/* --- choosing --------------------------------------------------------------- */

static void add(struct kplan *plan, const struct ksym *sym, uint8_t flags)
{
	struct names *names = &plan->names;

	plan->funcs = mem_grow(plan->funcs, plan->nr, sizeof(*plan->funcs));
	names->texts = mem_grow(names->texts, plan->nr, sizeof(*names->texts));
	plan->funcs[plan->nr].addr = sym->addr;
	plan->funcs[plan->nr].flags = flags;
	plan->funcs[plan->nr].symbol = ksym_symbol(sym);
	names->texts[plan->nr] = sym->module ? mem_format("%s [%s]", sym->name, sym->module) :
				 mem_string(sym->name);
	names->nr = ++plan->nr;
}

static void leave_out(struct kplan *plan, const struct ksym *sym)
{
	plan->ambiguous = mem_grow(plan->ambiguous, plan->nr_ambiguous, sizeof(*plan->ambiguous));
	plan->ambiguous[plan->nr_ambiguous++] = mem_format("%s (%zu functions)", sym->name,
							    sym->nr);
}

/* A symbol that the plan contains already. */
struct planned {
	const char *symbol;
	UT_hash_handle hh;
};

/* Returns a hash of all functions planned so far. Its entries are one array, to be freed. */
static struct planned *planned_of(const struct kplan *plan, struct planned **entries)
{
	struct planned *all = NULL, *entry;
	size_t i;

	*entries = mem_alloc(plan->nr * sizeof(**entries));
	for (i = 0; i < plan->nr; i++) {
		entry = *entries + i;
		entry->symbol = plan->funcs[i].symbol;
		HASH_ADD_KEYPTR(hh, all, entry->symbol, strlen(entry->symbol), entry);
	}
	return all;
}

static bool is_planned(const struct planned *all, const struct ksym *sym)
{
	char *symbol = ksym_symbol(sym);
	struct planned *found;

	HASH_FIND_STR(all, symbol, found);
	free(symbol);
	return found;
}

static void choose(struct kplan *plan, const struct ksyms *ksyms, const struct match *match,
		   uint8_t flags)
{
	struct planned *entries, *planned = planned_of(plan, &entries);
	const struct ksym *sym;

	for (sym = ksyms->syms; sym < ksyms->syms + ksyms->nr; sym++) {
		if (!ksym_is_wanted(sym, match))
			continue;
		if (sym->nr > 1)
			leave_out(plan, sym);
		else if (!is_planned(planned, sym))
			add(plan, sym, flags);
	}
	HASH_CLEAR(hh, planned);
	free(entries);
}

/*
 * A compiler may emit only modified versions of a function: NAME.isra.0 has other arguments,
 * NAME.constprop.0 has one argument less, NAME.part.0 lacks the part that callers inline.
 */
static void choose_versions(struct kplan *plan, const struct ksyms *ksyms, const char *name,
			    uint8_t flags)
{
	static const char *const kinds[] = { "isra", "constprop", "part" };
	struct match match = { 0 };
	size_t i;
	char *glob;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		glob = mem_format("%s.%s.*", name, kinds[i]);
		match_add(&match, glob);
		free(glob);
	}
	choose(plan, ksyms, &match, flags);
	match_free(&match);
}

static void add_version(struct kplan *plan, const char *name, const char *version)
{
	plan->versions = mem_grow(plan->versions, plan->nr_versions, sizeof(*plan->versions));
	plan->versions[plan->nr_versions++] = mem_format("%s is %s", name, version);
}

/* Adds the versions of named functions that exist only in such versions. */
static void choose_unused(struct kplan *plan, const struct ksyms *ksyms,
			  const struct match *match, uint8_t flags)
{
	size_t i, nr;

	for (i = 0; i < match->nr; i++) {
		if (match->is_used[i] || strpbrk(match->globs[i], "*?["))
			continue;
		nr = plan->nr;
		choose_versions(plan, ksyms, match->globs[i], flags);
		if (nr < plan->nr)
			match_use(match, i);
		for (; nr < plan->nr; nr++)
			add_version(plan, match->globs[i], plan->names.texts[nr]);
	}
}

/* Kernels hide where they are: only the distance from the first function is shown. */
static char *name_apart(const struct kplan_func *func, uint64_t start)
{
	const char *colon = strchr(func->symbol, ':'), *name = colon ? colon + 1 : func->symbol;

	return mem_format("%s [%.*s+0x%llx]", name, colon ? (int)(colon - func->symbol) : 6,
			  colon ? func->symbol : "_stext", (unsigned long long)(func->addr - start));
}

/* Functions of one name stay together, because the kernel's symbols are sorted by name. */
static size_t nr_of_name(const struct kplan *plan, size_t first)
{
	size_t nr = 1;

	while (first + nr < plan->nr &&
	       !strcmp(plan->funcs[first + nr].symbol, plan->funcs[first].symbol))
		nr++;
	return nr;
}

static void tell_apart(struct kplan *plan, const struct ksyms *ksyms, size_t first)
{
	uint64_t start;
	size_t end, nr;
	char *colon;

	for (; first < plan->nr; first = end) {
		nr = nr_of_name(plan, first);
		end = first + nr;
		if (nr == 1)
			continue;
		colon = strchr(plan->funcs[first].symbol, ':');
		if (colon)
			*colon = 0;
		start = ksyms_start(ksyms, colon ? plan->funcs[first].symbol : NULL);
		if (colon)
			*colon = ':';
		for (; first < end; first++) {
			free(plan->names.texts[first]);
			plan->names.texts[first] = name_apart(&plan->funcs[first], start);
		}
	}
}

static int explain_none(const struct ksyms *ksyms, const char *glob, struct err *err)
{
	const char **names = mem_alloc(ksyms->nr * sizeof(*names)), *nearest;
	size_t i;

	for (i = 0; i < ksyms->nr; i++)
		names[i] = ksyms->syms[i].name;
	if (match_nearest(glob, names, ksyms->nr, &nearest, 1))
		err_set(err, "The kernel has no function '%s'; did you mean '%s'? Functions of a module are found once it is loaded.",
			glob, nearest);
	else
		err_set(err, "The kernel has no function '%s'; see the names in " KALLSYMS ". Functions of a module are found once it is loaded.",
			glob);
	free(names);
	return -1;
}

/* Searches all functions for those that patterns without a match may mean. */
static int add_unused(struct kplan *plan, const struct match *match, uint8_t flags,
		      struct err *err)
{
	struct ksyms ksyms;
	int error = ksyms_read(&ksyms, KALLSYMS, NULL, err);

	if (!error)
		choose_unused(plan, &ksyms, match, flags);
	if (!error && match_unused(match))
		error = explain_none(&ksyms, match_unused(match), err);
	ksyms_free(&ksyms);
	return error;
}

static int add_all(struct kplan *plan, const struct match *match, uint8_t flags,
		   bool is_each_there, struct err *err)
{
	size_t first = plan->nr;
	struct ksyms ksyms;
	int error = ksyms_read(&ksyms, KALLSYMS, match, err);

	if (!error)
		choose(plan, &ksyms, match, flags);
	if (!error && is_each_there && match_unused(match))
		error = add_unused(plan, match, flags, err);
	if (!error)
		tell_apart(plan, &ksyms, first);
	ksyms_free(&ksyms);
	return error;
}

int kplan_add(struct kplan *plan, const struct match *match, uint8_t flags, struct err *err)
{
	return add_all(plan, match, flags, true, err);
}

int kplan_add_known(struct kplan *plan, const struct match *match, uint8_t flags,
		    struct err *err)
{
	plan->is_of_known = true;
	return add_all(plan, match, flags, false, err);
}

void kplan_mark_results(struct kplan *plan)
{
	struct kplan_func *func;
	struct ktypes types;
	size_t i;

	free(plan->names.are_fallible);
	plan->names.are_fallible = mem_alloc(plan->nr * sizeof(*plan->names.are_fallible));
	ktypes_open(&types, TYPES);
	for (i = 0; i < plan->nr; i++) {
		func = &plan->funcs[i];
		plan->names.are_fallible[i] = !ktypes_cannot_fail(&types, func->symbol);
		func->has_number = ktypes_returns_number(&types, func->symbol);
	}
	ktypes_close(&types);
}

size_t kplan_keep_fallible(struct kplan *plan)
{
	struct names *names = &plan->names;
	size_t all = plan->nr, nr = 0, i;

	kplan_mark_results(plan);
	for (i = 0; i < all; i++) {
		if (!names->are_fallible[i]) {
			free(plan->funcs[i].symbol);
			free(names->texts[i]);
			continue;
		}
		plan->funcs[nr] = plan->funcs[i];
		names->are_fallible[nr] = true;
		names->texts[nr++] = names->texts[i];
	}
	plan->nr = nr;
	names->nr = nr;
	return all - nr;
}

void kplan_free(struct kplan *plan)
{
	while (plan->nr)
		free(plan->funcs[--plan->nr].symbol);
	while (plan->nr_ambiguous)
		free(plan->ambiguous[--plan->nr_ambiguous]);
	while (plan->nr_versions)
		free(plan->versions[--plan->nr_versions]);
	free(plan->funcs);
	free(plan->ambiguous);
	free(plan->versions);
	names_free(&plan->names);
}

/* --- the module ------------------------------------------------------------- */

static size_t put(char *to, uint32_t func, const struct kplan_func *from)
{
	struct ktrace_symbol symbol = { .func = func, .len = strlen(from->symbol),
					.flags = from->flags, .addr = from->addr,
					.result = from->has_number ? KTRACE_VALUE_INT :
						  KTRACE_VALUE_NONE };
	size_t len = (symbol.len + 7) / 8 * 8;

	memset(to + sizeof(symbol), 0, len);
	memcpy(to, &symbol, sizeof(symbol));
	memcpy(to + sizeof(symbol), from->symbol, symbol.len);
	return sizeof(symbol) + len;
}

int kplan_send(const struct kplan *plan, struct ktr *ktr, uint64_t session)
{
	char *data = mem_alloc(BATCH_LEN);
	size_t len = 0, i;
	int error = 0;

	for (i = 0; i < plan->nr && !error; i++) {
		if (strlen(plan->funcs[i].symbol) > KTRACE_SYMBOL_LEN) {
			error = -ENAMETOOLONG;
			break;
		}
		len += put(data + len, i, &plan->funcs[i]);
		if (len + sizeof(struct ktrace_symbol) + KTRACE_SYMBOL_LEN + 8 < BATCH_LEN &&
		    i + 1 < plan->nr)
			continue;
		error = ktr_symbol_add(ktr, session, data, len);
		len = 0;
	}
	free(data);
	return error;
}
