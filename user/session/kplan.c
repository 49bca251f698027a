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
#include "util/out.h"

#define KALLSYMS "/proc/kallsyms"
#define TYPES "/sys/kernel/btf"
#define BATCH_LEN 40000	/* bytes of names in one message */
#define SHOWN 10	/* reported functions that could not be probed */

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

/* Adds the versions of named functions that exist only in such versions, and reports them. */
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
			out_put(stderr, "ktrace: %s is %s in this kernel.\n", match->globs[i],
				plan->names.texts[nr]);
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

	ktypes_open(&types, TYPES);
	for (i = 0; i < plan->nr; i++) {
		func = &plan->funcs[i];
		func->is_infallible = ktypes_cannot_fail(&types, func->symbol);
		func->has_number = ktypes_returns_number(&types, func->symbol);
	}
	ktypes_close(&types);
}

size_t kplan_keep_fallible(struct kplan *plan)
{
	size_t all = plan->nr, nr = 0, i;

	kplan_mark_results(plan);
	for (i = 0; i < all; i++) {
		if (plan->funcs[i].is_infallible) {
			free(plan->funcs[i].symbol);
			free(plan->names.texts[i]);
			continue;
		}
		plan->funcs[nr] = plan->funcs[i];
		plan->names.texts[nr++] = plan->names.texts[i];
	}
	plan->nr = nr;
	plan->names.nr = nr;
	return all - nr;
}

void kplan_free(struct kplan *plan)
{
	while (plan->nr)
		free(plan->funcs[--plan->nr].symbol);
	while (plan->nr_ambiguous)
		free(plan->ambiguous[--plan->nr_ambiguous]);
	free(plan->funcs);
	free(plan->ambiguous);
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

int kplan_send(const struct kplan *plan, struct knl *nl, uint64_t session)
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
		error = knl_symbol_add(nl, session, data, len);
		len = 0;
	}
	free(data);
	return error;
}

/* --- words ------------------------------------------------------------------ */

void kplan_print(FILE *out, const struct kplan *plan)
{
	size_t i;

	for (i = 0; i < plan->nr; i++)
		out_put(out, "%s\n", plan->names.texts[i]);
	if (plan->nr_ambiguous)
		out_put(out, "\nNot traced, because several functions share each name, and their addresses are hidden:\n");
	for (i = 0; i < plan->nr_ambiguous; i++)
		out_put(out, "%s\n", plan->ambiguous[i]);
}

static const char *reason(int error)
{
	switch (-error) {
	case EOPNOTSUPP:
		return "it has no place for the kernel's function tracer";
	case EEXIST:
		return "it is another name of a traced function";
	case EDEADLK:
		return "this kernel calls it with a lock held when a traced call returns, and would hang";
	case ENOENT:
		return "its module is gone";
	case EINVAL:
	case EILSEQ:
		return "the kernel allows no probes there";
	case ENOMEM:
		return "the kernel's memory for its open calls would exceed the module's memory limit";
	default:
		return strerror(-error);
	}
}

struct failures {
	const struct kplan *plan;
	size_t nr;
	size_t nr_no_memory;	/* failures for lack of memory */
	size_t nr_roots;	/* failed roots: only calls below a root are recorded */
};

static bool is_root(const struct kplan_func *func)
{
	return func->flags & KTRACE_FUNC_BELOW;
}

static size_t count_roots(const struct kplan *plan)
{
	size_t nr = 0, i;

	for (i = 0; i < plan->nr; i++)
		nr += is_root(&plan->funcs[i]);
	return nr;
}

static bool has_no_place(int error)
{
	return error == -EOPNOTSUPP || error == -EINVAL || error == -EILSEQ;
}

static void warn(void *arg, const struct knl_func *func)
{
	struct failures *failures = arg;

	if (failures->plan->is_of_known && has_no_place(func->error))
		return;
	if (!func->error || func->func >= failures->plan->nr)
		return;
	failures->nr_no_memory += func->error == -ENOMEM;
	failures->nr_roots += is_root(&failures->plan->funcs[func->func]);
	if (failures->nr++ < SHOWN)
		out_put(stderr, "ktrace: %s is not traced: %s.\n",
			names_get(&failures->plan->names, func->func), reason(func->error));
}

/* Entries of the kernel, where it allows no probes, and functions that they call. */
static const struct {
	const char *pattern, *inside[3];
} entries[] = {
	{ "*syscall*", { "__x64_sys_read", "SyS_read", "sys_read" } },
	{ "*page_fault*", { "handle_mm_fault" } },
	{ "*timer_interrupt*", { "hrtimer_interrupt" } },
	{ "*interrupt*", { "handle_irq_event" } },
};

static bool is_there(const struct ksyms *ksyms, const char *name)
{
	size_t i;

	for (i = 0; i < ksyms->nr; i++)
		if (!strcmp(ksyms->syms[i].name, name))
			return true;
	return false;
}

/* Returns a function of this kernel that an entry calls, or NULL. */
static const char *inside_of(const char *symbol)
{
	const char *found = NULL, *const *name;
	struct ksyms ksyms;
	struct err err;
	size_t i;

	if (ksyms_read(&ksyms, KALLSYMS, NULL, &err))
		return NULL;
	for (i = 0; !found && i < sizeof(entries) / sizeof(*entries); i++)
		for (name = entries[i].inside; name < entries[i].inside + 3 && *name && !found; name++)
			if (!fnmatch(entries[i].pattern, symbol, 0) && is_there(&ksyms, *name))
				found = *name;
	ksyms_free(&ksyms);
	return found;
}

static int explain_no_root(const struct kplan *plan, struct err *err)
{
	const char *inside = inside_of(plan->funcs[0].symbol);

	if (inside)
		return err_set(err, "The function below which calls are recorded could not be probed; name one that it calls, such as %s.",
			       inside);
	return err_set(err, "The function below which calls are recorded could not be probed; name one that it calls.");
}

int kplan_check_probed(const struct kplan *plan, struct knl *nl,
		       const struct knl_session *session, struct err *err)
{
	struct failures failures = { .plan = plan };
	struct knl_info info;

	if (session->nr_failed)
		knl_func_each(nl, session->id, 0, warn, &failures);
	if (failures.nr > SHOWN)
		out_put(stderr, "ktrace: %zu more functions are not traced.\n", failures.nr - SHOWN);
	if (failures.nr_no_memory && !knl_info(nl, &info))
		out_put(stderr, "ktrace: The limit is %llu MiB (/sys/module/ktrace/parameters/max_mem), of which %llu MiB are in use.\n",
			(unsigned long long)info.limits.max_mem >> 20,
			(unsigned long long)info.mem >> 20);
	if (failures.nr_roots && failures.nr_roots == count_roots(plan))
		return explain_no_root(plan, err);
	if (failures.nr == plan->nr)
		return err_set(err, "None of the functions could be probed.");
	return 0;
}
