// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "report/plan_text.h"
#include "util/out.h"

static const char *return_text(const struct plan_func *func)
{
	switch (func->desc.ret) {
	case KTRACE_RETURN_SITES:
		return "exits";
	case KTRACE_RETURN_URETPROBE:
		return "uretprobe";
	case KTRACE_RETURN_UNSEEN:
		return "unseen";
	case KTRACE_RETURN_SILENT:
		return "silent";
	default:
		return "entry only";
	}
}

static const char *role_text(const struct plan_func *func)
{
	if (func->unbound)
		return func->unbound & KTRACE_FUNC_NOT_BELOW ? " (not for --not-below)" :
							       " (not for --below)";
	if (func->desc.ret == KTRACE_RETURN_SILENT)
		return " (target of a jump, not shown itself)";
	if (func->desc.flags & KTRACE_FUNC_NOT_BELOW)
		return " (--not-below)";
	if (func->desc.flags & KTRACE_FUNC_BELOW)
		return func->desc.flags & KTRACE_FUNC_HIDDEN ? " (--below, not shown itself)" :
		       " (--below)";
	return "";
}

static void print_probed(FILE *out, const struct plan *plan, const struct plan_func *func)
{
	out_put(out, "  %-10s %5u  %s+0x%llx  %s%s%s%s\n", return_text(func), func->desc.nr_exits,
		plan->objects[func->object].path, (unsigned long long)func->desc.entry, func->name,
		role_text(func), func->no_return ? ": " : "",
		func->no_return ? func->no_return : "");
}

static void print_sources(FILE *out, const struct plan *plan)
{
	const struct elf_file *file;

	out_put(out, "\nSymbols were taken from:\n");
	for (file = plan->objects; file < plan->objects + plan->nr_objects; file++)
		out_put(out, "  %s: %s%s%s%s\n", file->path, file->source,
			file->refused ? " (not from " : "", file->refused ? file->refused : "",
			file->refused ? ")" : "");
}

void plan_print(FILE *out, const struct plan *plan)
{
	const struct plan_func *func, *end = plan->funcs + plan->nr_funcs;

	out_put(out, "%zu functions would be probed, at %zu sites:\n", plan->nr_probed,
		plan->nr_sites);
	out_put(out, "  %-10s %5s  %s\n", "RETURN", "EXITS", "ENTRY, FUNCTION");
	for (func = plan->funcs; func < plan->funcs + plan->nr_probed; func++)
		print_probed(out, plan, func);
	if (func < end)
		out_put(out, "\n%zu functions would not be probed:\n", plan->nr_funcs - plan->nr_probed);
	for (; func < end; func++)
		out_put(out, "  %s: %s\n", func->name, func->left_out);
	print_sources(out, plan);
}

static bool is_unused(const struct match *match, size_t glob)
{
	return match->is_used && !match->is_used[glob];
}

static void print_unmatched(FILE *out, bool *has_any, const char *option, const char *text)
{
	if (!*has_any)
		out_put(out, "\nThese options match nothing:\n");
	*has_any = true;
	out_put(out, "  %s %s\n", option, text);
}

void plan_print_unmatched(FILE *out, const struct trace *trace)
{
	const struct {
		const struct match *match;
		const char *option;
	} lists[] = {
		{ &trace->functions, "--function" }, { &trace->no_functions, "--no-function" },
		{ &trace->below, "--below" }, { &trace->not_below, "--not-below" },
		{ &trace->nested_libs, "--nest-lib" },
	};
	bool has_any = false;
	size_t i, glob;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (glob = 0; glob < lists[i].match->nr; glob++)
			if (is_unused(lists[i].match, glob))
				print_unmatched(out, &has_any, lists[i].option,
						lists[i].match->globs[glob]);
	for (i = 0; i < trace->values.nr; i++)
		if (!trace->values.rules[i].is_used)
			print_unmatched(out, &has_any,
					value_has_args(&trace->values.rules[i].formats) ? "--arg" :
					"--ret", trace->values.rules[i].text);
}

static void tell_unbound(FILE *to, const struct plan *plan, uint8_t role, const char *option)
{
	const struct plan_func *func, *first = NULL;
	size_t nr = 0;

	for (func = plan->funcs; func < plan->funcs + plan->nr_funcs; func++) {
		if (!(func->unbound & role))
			continue;
		first = first ? first : func;
		nr++;
	}
	if (nr == 1)
		out_put(to, "ktrace: %s does not apply to %s, whose calls cannot be followed: %s.\n",
			option, first->name, plan_unseen(first));
	else if (nr)
		out_put(to, "ktrace: %s does not apply to %zu of the functions that it matches, whose calls cannot be followed: %s and others; --dry-run shows them.\n",
			option, nr, first->name);
}

void plan_tell_unbound(FILE *to, const struct plan *plan)
{
	tell_unbound(to, plan, KTRACE_FUNC_BELOW, "--below");
	tell_unbound(to, plan, KTRACE_FUNC_NOT_BELOW, "--not-below");
}

static size_t count_writable(const struct plan *plan, unsigned int object)
{
	const struct plan_func *func;
	size_t nr = 0;

	for (func = plan->funcs + plan->nr_probed; func < plan->funcs + plan->nr_funcs; func++)
		nr += func->object == object && func->left_out == plan_writable;
	return nr;
}

size_t plan_tell_writable(FILE *to, const struct plan *plan)
{
	size_t nr, nr_all = 0;
	unsigned int i;

	for (i = 0; i < plan->nr_objects; i++) {
		nr = count_writable(plan, i);
		nr_all += nr;
		if (nr)
			out_put(to, "ktrace: %zu function%s of %s cannot be probed: its code is writable, and the kernel places no probe in writable code; link it, for example, without --omagic (-N).\n",
				nr, nr == 1 ? "" : "s", plan->objects[i].path);
	}
	return nr_all;
}

void plan_tell_tsan(FILE *to, const struct plan *plan)
{
	if (plan->objects[0].is_tsan)
		out_put(to, "ktrace: %s is built with ThreadSanitizer, which does not start if a probe was hit before: only its own functions are probed, no libraries and no other programs that it executes.\n",
			plan->objects[0].path);
}

/* Aliases are probed by their other name. Hidden functions and writable code are reported apart. */
static bool is_reported(const struct plan_func *func)
{
	return func->left_out != plan_alias && func->left_out != plan_writable &&
	       !(func->desc.flags & KTRACE_FUNC_HIDDEN);
}

#define SHOWN 5

void plan_tell_named(FILE *to, const struct plan *plan)
{
	const struct plan_func *func;
	size_t nr = 0;

	for (func = plan->funcs + plan->nr_probed; func < plan->funcs + plan->nr_funcs; func++)
		if (func->is_named && is_reported(func) && nr++ < SHOWN)
			out_put(to, "ktrace: %s is not probed: %s.\n", func->name,
				func->left_out);
	if (nr > SHOWN)
		out_put(to, "ktrace: %zu more named functions are not probed; --dry-run lists them with the reasons.\n",
			nr - SHOWN);
}

void plan_tell_left_out(FILE *to, const struct plan *plan)
{
	const struct plan_func *func, *first = NULL;
	size_t nr = 0;

	for (func = plan->funcs + plan->nr_probed; func < plan->funcs + plan->nr_funcs; func++) {
		if (func->is_named || func->is_odd || !is_reported(func))
			continue;
		first = first ? first : func;
		nr++;
	}
	if (nr)
		out_put(to, "ktrace: %zu function%s not probed (%s%s); --dry-run lists the reasons.\n",
			nr, nr == 1 ? " is" : "s are", first->name, nr == 1 ? "" : " and others");
}

size_t plan_tell_unopened(FILE *to, const struct plan *plan)
{
	size_t i;

	for (i = 0; i < plan->nr_unopened; i++)
		out_put(to, "ktrace: Calls into %s are not probed: %s.\n", plan->unopened[i].name,
			plan->unopened[i].why);
	return plan->nr_unopened;
}

/* --- probes that the kernel refused ------------------------------------- */

struct failures {
	FILE *to;
	const struct plan *plan;
	size_t nr;
};

#define UNSUPPORTED 524	/* the kernel's own ENOTSUPP */

static const char *failed_reason(int error)
{
	switch (-error) {
	case UNSUPPORTED:
	case EOPNOTSUPP:
		return "the kernel does not step over the instruction there";
	case EINVAL:
		return "its site is outside the file, or is not allowed for a breakpoint";
	case EIO:
		return "its file system has no page cache for a breakpoint; copy the file to a disk";
	case EEXIST:
		return "another probed function has the same site";
	case ENOMEM:
		return "not enough memory";
	default:
		return strerror(-error);
	}
}

static void tell_failed(void *arg, const struct ktr_func *func)
{
	struct failures *failures = arg;

	if (!func->error || func->func >= failures->plan->nr_probed)
		return;
	if (failures->nr++ < SHOWN)
		out_put(failures->to, "ktrace: %s is not probed: %s.\n",
			failures->plan->funcs[func->func].name, failed_reason(func->error));
}

size_t plan_tell_failed(FILE *to, struct ktr *ktr, const struct ktr_session *session,
			const struct plan *plan)
{
	struct failures failures = { to, plan, 0 };

	if (!session->nr_failed)
		return 0;
	ktr_func_each(ktr, session->id, 0, tell_failed, &failures);
	if (failures.nr > SHOWN)
		out_put(to, "ktrace: %zu more functions are not probed.\n", failures.nr - SHOWN);
	return failures.nr;
}
