// SPDX-License-Identifier: GPL-2.0
/*
 * Entries alone are one client of the function tracer, which misses none in interrupts that
 * come while another is looked at. Those with returns are a fprobe where the kernel has it;
 * below, a kretprobe each, which misses such, and counts them.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "../mem.h"
#include "compat.h"
#include "ftrace_filter.h"
#include "hook.h"
#include "kretprobe.h"

#if defined(KT_HAVE_FPROBE_FTRACE_REGS) || defined(KT_HAVE_FPROBE_PT_REGS)
#include <linux/fprobe.h>
#endif

struct call {
	const struct kt_hook *hook;
	u64 data[KT_HOOK_DATA / sizeof(u64)];
};

struct kt_hook_probes {
	struct kt_hooks *hooks;
	struct ftrace_ops entries;
	bool has_entries;
#if defined(KT_HAVE_FPROBE_FTRACE_REGS) || defined(KT_HAVE_FPROBE_PT_REGS)
	struct fprobe fprobe;
	bool has_fprobe;
#else
	struct ret {
		struct kretprobe kretprobe;
		const struct kt_hook *hook;
	} rets[KT_HOOKS];
	u32 nr_rets;
#endif
};

/* --- where they are --------------------------------------------------------- */

/* Of the function that ip is in. False: of none. */
static bool find_bounds(unsigned long ip, unsigned long *start, unsigned long *end)
{
	char text[KSYM_SYMBOL_LEN], *at;
	int offset, len;

	sprint_symbol(text, ip);
	at = strchr(text, '+');
	if (!at || sscanf(at, "+%i/%i", &offset, &len) != 2)
		return false;
	*start = ip - offset;
	*end = *start + len;
	return true;
}

/* Has it a direct call of, or jump to, the start of the other? */
static bool leads_to(unsigned long ip, unsigned long other)
{
	unsigned long at, end, start, other_start, unused;
	bool found = false;

	/* Of a module that goes now, the text stays until this is unlocked. */
	rcu_read_lock_sched();
	if (find_bounds(ip, &start, &end) && find_bounds(other, &other_start, &unused))
		for (at = ip; at + 5 <= end && !found; at++)
			found = (*(u8 *)at == 0xe8 || *(u8 *)at == 0xe9) &&
				at + 5 + *(s32 *)(at + 1) - other_start <= other - other_start;
	rcu_read_unlock_sched();
	return found;
}

/* As in kfunc_place.c: kprobes that are never armed are asked. */
static void find_all(struct kt_hooks *hooks, struct kprobe *kprobes)
{
	struct kprobe *registered[KT_HOOKS];
	struct kt_hook *hook;
	int nr = 0;

	for (hook = hooks->hooks; hook < hooks->hooks + hooks->nr; hook++) {
		kprobes[nr].symbol_name = hook->name;
		kprobes[nr].flags = KPROBE_FLAG_DISABLED;
		hook->ip = 0;
		if (register_kprobe(&kprobes[nr])) {
			memset(&kprobes[nr], 0, sizeof(kprobes[nr]));
			continue;
		}
		if (kprobes[nr].flags & KPROBE_FLAG_FTRACE)
			hook->ip = (unsigned long)kprobes[nr].addr;
		registered[nr] = &kprobes[nr];
		nr++;
	}
	if (nr)
		unregister_kprobes(registered, nr);
}

static const struct kt_hook *find_named(const struct kt_hooks *hooks, const char *name)
{
	const struct kt_hook *hook;

	for (hook = hooks->hooks; hook < hooks->hooks + hooks->nr; hook++)
		if (!strcmp(hook->name, name))
			return hook;
	return NULL;
}

/* A call that went both ways would be seen twice. */
static void leave_out_ways(struct kt_hooks *hooks)
{
	const struct kt_hook *to;
	struct kt_hook *hook;

	for (hook = hooks->hooks; hook < hooks->hooks + hooks->nr; hook++) {
		to = hook->ip && hook->way_to ? find_named(hooks, hook->way_to) : NULL;
		if (to && to->ip && leads_to(hook->ip, to->ip))
			hook->ip = 0;
	}
}

static int find(struct kt_hooks *hooks)
{
	struct kprobe *kprobes = kt_mem_alloc(KT_HOOKS * sizeof(*kprobes));
	u32 wanted = 0, found = 0, i;

	if (!kprobes)
		return -ENOMEM;
	find_all(hooks, kprobes);
	kt_mem_free(kprobes, KT_HOOKS * sizeof(*kprobes));
	leave_out_ways(hooks);
	for (i = 0; i < hooks->nr; i++) {
		wanted |= hooks->hooks[i].kind;
		found |= hooks->hooks[i].ip ? hooks->hooks[i].kind : 0;
	}
	return wanted == found ? 0 : -ENOENT;
}

/* There are few of them. */
static const struct kt_hook *hook_at(const struct kt_hooks *hooks, unsigned long ip)
{
	const struct kt_hook *hook;

	for (hook = hooks->hooks; hook < hooks->hooks + hooks->nr; hook++)
		if (hook->ip == ip)
			return hook;
	return NULL;
}

/* Of those whose return is seen, or of the others. */
static u32 list_ips(const struct kt_hooks *hooks, bool with_returns, unsigned long *ips)
{
	u32 nr = 0, i;

	for (i = 0; i < hooks->nr; i++)
		if (hooks->hooks[i].ip && !hooks->hooks[i].leave == !with_returns)
			ips[nr++] = hooks->hooks[i].ip;
	return nr;
}

static void args_of(const struct pt_regs *regs, unsigned long args[KT_HOOK_ARGS])
{
	args[0] = regs->di;
	args[1] = regs->si;
	args[2] = regs->dx;
	args[3] = regs->cx;
	args[4] = regs->r8;
}

/* --- entries ---------------------------------------------------------------- */

static void enter(struct ftrace_ops *ops, unsigned long ip, const struct pt_regs *regs)
{
	struct kt_hook_probes *probes = container_of(ops, struct kt_hook_probes, entries);
	const struct kt_hook *hook = hook_at(probes->hooks, ip);
	unsigned long args[KT_HOOK_ARGS];

	if (!hook || !regs)
		return;
	args_of(regs, args);
	hook->enter(hook, args, NULL);
}

#ifdef KT_HAVE_FTRACE_REGS
#define OWN_FLAGS (FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_RECURSION)
static void on_entry_alone(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			   struct ftrace_regs *regs)
{
	enter(ops, ip, ftrace_get_regs(regs));
}
#else
#define OWN_FLAGS FTRACE_OPS_FL_SAVE_REGS
static void on_entry_alone(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			   struct pt_regs *regs)
{
	enter(ops, ip, regs);
}
#endif

static int attach_entries(struct kt_hook_probes *probes)
{
	unsigned long ips[KT_HOOKS];
	u32 nr = list_ips(probes->hooks, false, ips), i;
	int error = 0;

	/* An empty filter would be one of all functions. */
	if (!nr)
		return 0;
	probes->entries.func = on_entry_alone;
	probes->entries.flags = OWN_FLAGS;
	for (i = 0; i < nr && !error; i++)
		error = ftrace_set_filter_ip(&probes->entries, ips[i], 0, !i);
	if (!error)
		error = register_ftrace_function(&probes->entries);
	if (error)
		kt_ftrace_free_filter(&probes->entries);
	probes->has_entries = !error;
	return error;
}

static void detach_entries(struct kt_hook_probes *probes)
{
	if (!probes->has_entries)
		return;
	unregister_ftrace_function(&probes->entries);
	kt_ftrace_free_filter(&probes->entries);
}

/* --- entries and returns, newest first --------------------------------------- */

#if defined(KT_HAVE_FPROBE_FTRACE_REGS) || defined(KT_HAVE_FPROBE_PT_REGS)

#ifdef KT_HAVE_FPROBE_FTRACE_REGS
#define REGS ftrace_regs
#define SET_MAX_OPEN(fprobe)	/* it has no pool for them */
#define RESULT_OF(regs) ftrace_regs_get_return_value(regs)
#define ARGUMENT_OF(regs, n) ftrace_regs_get_argument(regs, n)
#else
#define REGS pt_regs
#define SET_MAX_OPEN(fprobe) ((fprobe)->nr_maxactive = 1024)
#define RESULT_OF(regs) regs_return_value(regs)
#define ARGUMENT_OF(regs, n) regs_get_kernel_argument(regs, n)
#endif

static int on_entry(struct fprobe *fprobe, unsigned long ip, unsigned long ret_ip,
		    struct REGS *regs, void *data)
{
	struct kt_hook_probes *probes = container_of(fprobe, struct kt_hook_probes, fprobe);
	unsigned long args[KT_HOOK_ARGS];
	struct call *call = data;
	int i;

	call->hook = hook_at(probes->hooks, ip);
	if (unlikely(!call->hook))
		return 1;
	for (i = 0; i < KT_HOOK_ARGS; i++)
		args[i] = ARGUMENT_OF(regs, i);
	return !call->hook->enter(call->hook, args, call->data);
}

static void on_return(struct fprobe *fprobe, unsigned long ip, unsigned long ret_ip,
		      struct REGS *regs, void *data)
{
	struct call *call = data;

	call->hook->leave(call->data, RESULT_OF(regs));
}

static int attach_returns(struct kt_hook_probes *probes)
{
	unsigned long ips[KT_HOOKS];
	u32 nr = list_ips(probes->hooks, true, ips);
	int error;

	probes->fprobe.entry_handler = on_entry;
	probes->fprobe.exit_handler = on_return;
	probes->fprobe.entry_data_size = sizeof(struct call);
	SET_MAX_OPEN(&probes->fprobe);
	error = register_fprobe_ips(&probes->fprobe, ips, nr);
	probes->has_fprobe = !error;
	return error;
}

static void detach_returns(struct kt_hook_probes *probes)
{
	if (probes->has_fprobe)
		unregister_fprobe(&probes->fprobe);
}

static u64 missed_by(const struct kt_hook_probes *probes)
{
	return probes->fprobe.nmissed;
}

#else

/* Some may sleep in an allocation. */
#define OPEN_A_CPU 16
#define OPEN_AT_LEAST 128

static int on_entry(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kretprobe *kretprobe = kt_kretprobe_of(instance);
	struct call *call = (void *)instance->data;
	unsigned long args[KT_HOOK_ARGS];
	const struct kt_hook *hook;

	if (kt_kretprobe_is_gone(kretprobe))
		return 1;
	hook = container_of(kretprobe, struct ret, kretprobe)->hook;
	args_of(regs, args);
	call->hook = hook;
	return !hook->enter(hook, args, call->data);
}

static int on_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct call *call = (void *)instance->data;

	call->hook->leave(call->data, regs_return_value(regs));
	return 0;
}

static int plant(struct kt_hook_probes *probes, const struct kt_hook *hook)
{
	struct ret *ret = &probes->rets[probes->nr_rets];
	int error;

	ret->hook = hook;
	ret->kretprobe.kp.addr = (void *)hook->ip;
	ret->kretprobe.entry_handler = on_entry;
	ret->kretprobe.handler = on_return;
	ret->kretprobe.data_size = sizeof(struct call);
	ret->kretprobe.maxactive = max(OPEN_A_CPU * num_possible_cpus(), OPEN_AT_LEAST + 0U);
	error = register_kretprobe(&ret->kretprobe);
	probes->nr_rets += !error;
	return error;
}

static int attach_returns(struct kt_hook_probes *probes)
{
	const struct kt_hooks *hooks = probes->hooks;
	u32 i;
	int error = 0;

	for (i = 0; i < hooks->nr && !error; i++)
		if (hooks->hooks[i].ip && hooks->hooks[i].leave)
			error = plant(probes, &hooks->hooks[i]);
	return error;
}

static void detach_returns(struct kt_hook_probes *probes)
{
	struct kretprobe *kretprobes[KT_HOOKS];
	u32 i;

	for (i = 0; i < probes->nr_rets; i++)
		kretprobes[i] = &probes->rets[i].kretprobe;
	if (i)
		unregister_kretprobes(kretprobes, i);
}

/* No room for its return, or in another probe's handler. */
static u64 missed_by(const struct kt_hook_probes *probes)
{
	u64 missed = 0;
	u32 i;

	for (i = 0; i < probes->nr_rets; i++)
		missed += probes->rets[i].kretprobe.nmissed +
			  probes->rets[i].kretprobe.kp.nmissed;
	return missed;
}

#endif

/* --- all ---------------------------------------------------------------------- */

static void free_probes(struct kt_hooks *hooks)
{
	hooks->missed += missed_by(hooks->probes);
	kt_mem_free(hooks->probes, sizeof(*hooks->probes));
	hooks->probes = NULL;
}

int kt_hooks_attach(struct kt_hooks *hooks)
{
	int error = find(hooks);

	if (error)
		return error;
	hooks->probes = kt_mem_alloc(sizeof(*hooks->probes));
	if (!hooks->probes)
		return -ENOMEM;
	hooks->probes->hooks = hooks;
	error = attach_returns(hooks->probes);
	if (!error)
		error = attach_entries(hooks->probes);
	if (!error)
		return 0;
	detach_returns(hooks->probes);
	free_probes(hooks);
	return error;
}

void kt_hooks_detach(struct kt_hooks *hooks)
{
	detach_entries(hooks->probes);
	detach_returns(hooks->probes);
	free_probes(hooks);
}

u64 kt_hooks_missed(const struct kt_hooks *hooks)
{
	return hooks->missed + (hooks->probes ? missed_by(hooks->probes) : 0);
}
