// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "report/kplan_text.h"
#include "system/ksyms.h"
#include "util/out.h"

#define SHOWN 10	/* reported functions that could not be probed */

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
	FILE *to;
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

static void tell(void *arg, const struct ktr_func *func)
{
	struct failures *failures = arg;

	if (failures->plan->is_of_known && has_no_place(func->error))
		return;
	if (!func->error || func->func >= failures->plan->nr)
		return;
	failures->nr_no_memory += func->error == -ENOMEM;
	failures->nr_roots += is_root(&failures->plan->funcs[func->func]);
	if (failures->nr++ < SHOWN)
		out_put(failures->to, "ktrace: %s is not traced: %s.\n",
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

int kplan_check_probed(FILE *to, const struct kplan *plan, struct ktr *ktr,
		       const struct ktr_session *session, struct err *err)
{
	struct failures failures = { .to = to, .plan = plan };
	struct ktr_info info;

	if (session->nr_failed)
		ktr_func_each(ktr, session->id, 0, tell, &failures);
	if (failures.nr > SHOWN)
		out_put(to, "ktrace: %zu more functions are not traced.\n", failures.nr - SHOWN);
	if (failures.nr_no_memory && !ktr_info(ktr, &info))
		out_put(to, "ktrace: The limit is %llu MiB (/sys/module/ktrace/parameters/max_mem), of which %llu MiB are in use.\n",
			(unsigned long long)info.limits.max_mem >> 20,
			(unsigned long long)info.mem >> 20);
	if (failures.nr_roots && failures.nr_roots == count_roots(plan))
		return explain_no_root(plan, err);
	if (failures.nr == plan->nr)
		return err_set(err, "None of the functions could be probed.");
	return 0;
}
