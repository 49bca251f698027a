// SPDX-License-Identifier: GPL-2.0
/*
 * Hooks on kernel functions. All hooks without a leave share one client of the function tracer.
 * It misses no calls, not even calls in interrupts that arrive while it handles another call.
 * Hooks with a leave share an fprobe where the kernel has fprobes. Older kernels get one kretprobe
 * per hook, which misses calls in such interrupts, and counts the missed calls.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "compat/fprobe.h"
#include "compat/ftrace.h"
#include "compat/kretprobe.h"
#include "compat/remove.h"
#include "compat/room.h"
#include "lib/mem.h"
#include "lib/task_pages.h"
#include "providers/hook.h"

struct kt_hook_probes {
	struct kt_hooks *hooks;		/* NULL: the probes are being removed */
	struct ftrace_ops entries;
	bool has_entries;
	size_t room;			/* memory charged for the kernel's records of returns */
#if KT_HAS_FPROBE
	struct fprobe fprobe;
	bool has_fprobe;
	u32 cookie;
#else
	struct ret {
		struct kretprobe kretprobe;
		const struct kt_hook *hook;	/* NULL: the kretprobe is being removed */
	} rets[KT_HOOKS];
	u32 nr_rets;
#endif
};

/* --- where they are --------------------------------------------------------- */

/* Finds the bounds of the function that contains ip. Returns false if there is no such function. */
static bool hook_find_bounds(unsigned long ip, unsigned long *start, unsigned long *end)
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

/* Returns true if the function at ip has a direct call of, or jump to, the start of the other. */
static bool hook_leads_to(unsigned long ip, unsigned long other)
{
	unsigned long at, end, start, other_start, unused;
	bool found = false;

	/* This keeps the text of a module in memory, should the module be unloaded now. */
	rcu_read_lock_sched();
	if (hook_find_bounds(ip, &start, &end) && hook_find_bounds(other, &other_start, &unused))
		for (at = ip; at + 5 <= end && !found; at++)
			found = (*(u8 *)at == 0xe8 || *(u8 *)at == 0xe9) &&
				at + 5 + *(s32 *)(at + 1) - other_start <= other - other_start;
	rcu_read_unlock_sched();
	return found;
}

/* As in kfunc_place.c, kprobes that are never armed find the addresses. */
static void hook_find_all(struct kt_hooks *hooks, struct kprobe *kprobes)
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

static const struct kt_hook *hook_find_named(const struct kt_hooks *hooks, const char *name)
{
	const struct kt_hook *hook;

	for (hook = hooks->hooks; hook < hooks->hooks + hooks->nr; hook++)
		if (!strcmp(hook->name, name))
			return hook;
	return NULL;
}

/* A call that passes through both functions would be seen twice. */
static void hook_leave_out_ways(struct kt_hooks *hooks)
{
	const struct kt_hook *to;
	struct kt_hook *hook;

	for (hook = hooks->hooks; hook < hooks->hooks + hooks->nr; hook++) {
		to = hook->ip && hook->way_to ? hook_find_named(hooks, hook->way_to) : NULL;
		if (to && to->ip && hook_leads_to(hook->ip, to->ip))
			hook->ip = 0;
	}
}

static int hook_find(struct kt_hooks *hooks)
{
	struct kprobe *kprobes = kt_mem_alloc(KT_HOOKS * sizeof(*kprobes));
	u32 wanted = 0, found = 0, i;

	if (!kprobes)
		return -ENOMEM;
	hook_find_all(hooks, kprobes);
	kt_mem_free(kprobes, KT_HOOKS * sizeof(*kprobes));
	hook_leave_out_ways(hooks);
	for (i = 0; i < hooks->nr; i++) {
		wanted |= hooks->hooks[i].kind;
		found |= hooks->hooks[i].ip ? hooks->hooks[i].kind : 0;
	}
	return wanted == found ? 0 : -ENOENT;
}

/* The list is short, so a linear search is enough. */
static const struct kt_hook *hook_at(const struct kt_hooks *hooks, unsigned long ip)
{
	const struct kt_hook *hook;

	for (hook = hooks->hooks; hook < hooks->hooks + hooks->nr; hook++)
		if (hook->ip == ip)
			return hook;
	return NULL;
}

/* Lists the hooks with a leave, or the hooks without. Returns the number of them. */
static u32 hook_list_ips(const struct kt_hooks *hooks, bool with_returns, unsigned long *ips)
{
	u32 nr = 0, i;

	for (i = 0; i < hooks->nr; i++)
		if (hooks->hooks[i].ip && !hooks->hooks[i].leave == !with_returns)
			ips[nr++] = hooks->hooks[i].ip;
	return nr;
}

static void hook_args_of(const struct pt_regs *regs, unsigned long args[KT_HOOK_ARGS])
{
	args[0] = regs->di;
	args[1] = regs->si;
	args[2] = regs->dx;
	args[3] = regs->cx;
	args[4] = regs->r8;
}

/* --- entries ---------------------------------------------------------------- */

static void hook_enter(struct ftrace_ops *ops, unsigned long ip, const struct pt_regs *regs)
{
	struct kt_hook_probes *probes = container_of(ops, struct kt_hook_probes, entries);
	const struct kt_hooks *hooks = READ_ONCE(probes->hooks);
	const struct kt_hook *hook = hooks ? hook_at(hooks, ip) : NULL;
	unsigned long args[KT_HOOK_ARGS];

	if (!hook || !regs)
		return;
	hook_args_of(regs, args);
	hook->enter(hook, args, NULL);
}

static void hook_on_entry_alone(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
				struct kt_ftrace_regs *regs)
{
	hook_enter(ops, ip, kt_ftrace_get_regs(regs));
}

static int hook_attach_entries(struct kt_hook_probes *probes)
{
	unsigned long ips[KT_HOOKS];
	u32 nr = hook_list_ips(probes->hooks, false, ips);
	int error;

	/* An empty filter would match all functions. */
	if (!nr)
		return 0;
	probes->entries.func = hook_on_entry_alone;
	probes->entries.flags = FTRACE_OPS_FL_SAVE_REGS | KT_FTRACE_ONCE;
	error = kt_ftrace_set_filter_ips(&probes->entries, ips, nr);
	if (!error)
		error = register_ftrace_function(&probes->entries);
	if (error)
		kt_ftrace_free_filter(&probes->entries);
	probes->has_entries = !error;
	return error;
}

/* Returns true if the probes are removed. */
static bool hook_detach_entries(struct kt_hook_probes *probes)
{
	if (!probes->has_entries)
		return true;
	if (!kt_ftrace_ops_remove(&probes->entries))
		return false;
	kt_ftrace_free_filter(&probes->entries);
	return true;
}

/* --- entries and returns, newest first --------------------------------------- */

#if KT_HAS_FPROBE

#define MAX_OPEN 1024

/* Data of an open call. It may belong to another fprobe: see the cookie in kfunc_fprobe.c. */
struct call {
	u32 cookie;
	u32 nr;		/* index of the hook */
	u64 data[KT_HOOK_DATA / sizeof(u64)];
};

static int hook_on_entry(struct fprobe *fprobe, unsigned long ip, unsigned long ret_ip,
			 struct kt_fprobe_regs *regs, void *data)
{
	struct kt_hook_probes *probes = container_of(fprobe, struct kt_hook_probes, fprobe);
	const struct kt_hooks *hooks = READ_ONCE(probes->hooks);
	unsigned long args[KT_HOOK_ARGS];
	const struct kt_hook *hook = hooks ? hook_at(hooks, ip) : NULL;
	struct call *call = data;
	int i;

	if (unlikely(!hook))
		return 1;
	call->cookie = probes->cookie;
	call->nr = hook - hooks->hooks;
	for (i = 0; i < KT_HOOK_ARGS; i++)
		args[i] = kt_fprobe_arg_of(regs, i);
	return !hook->enter(hook, args, call->data);
}

static void hook_on_return(struct fprobe *fprobe, unsigned long ip, unsigned long ret_ip,
			   struct kt_fprobe_regs *regs, void *data)
{
	struct kt_hook_probes *probes = container_of(fprobe, struct kt_hook_probes, fprobe);
	const struct kt_hooks *hooks = READ_ONCE(probes->hooks);
	struct call *call = data;

	if (likely(hooks && call && call->cookie == probes->cookie && call->nr < hooks->nr))
		hooks->hooks[call->nr].leave(call->data, kt_fprobe_result_of(regs));
}

static bool hook_charge(struct kt_hook_probes *probes, u32 nr)
{
	size_t room = kt_room_of_fprobe(nr, MAX_OPEN, sizeof(struct call));

	if (!kt_task_pages_take())
		return false;
	if (!kt_mem_charge(room)) {
		kt_task_pages_give();
		return false;
	}
	probes->room = room;
	return true;
}

static int hook_attach_returns(struct kt_hook_probes *probes)
{
	unsigned long ips[KT_HOOKS];
	u32 nr = hook_list_ips(probes->hooks, true, ips);
	int error;

	if (!hook_charge(probes, nr))
		return -ENOMEM;
	get_random_bytes(&probes->cookie, sizeof(probes->cookie));
	probes->fprobe.entry_handler = hook_on_entry;
	probes->fprobe.exit_handler = hook_on_return;
	probes->fprobe.entry_data_size = sizeof(struct call);
	kt_fprobe_set_max_open(&probes->fprobe, MAX_OPEN);
	error = register_fprobe_ips(&probes->fprobe, ips, nr);
	probes->has_fprobe = !error;
	return error;
}

static bool hook_detach_returns(struct kt_hook_probes *probes)
{
	return !probes->has_fprobe || kt_fprobe_remove(&probes->fprobe);
}

static u64 hook_missed_by(const struct kt_hook_probes *probes)
{
	return probes->fprobe.nmissed;
}

#else

/* Calls that may be open at the same time: some of them may sleep in an allocation. */
#define OPEN_A_CPU 16
#define OPEN_AT_LEAST 128

static const struct kt_hook *hook_of(const struct kretprobe_instance *instance)
{
	struct kretprobe *kretprobe = kt_kretprobe_of(instance);

	if (kt_kretprobe_is_gone(kretprobe))
		return NULL;
	return READ_ONCE(container_of(kretprobe, struct ret, kretprobe)->hook);
}

static int hook_on_entry(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct kt_hook *hook = hook_of(instance);
	unsigned long args[KT_HOOK_ARGS];

	if (unlikely(!hook))
		return 1;
	hook_args_of(regs, args);
	return !hook->enter(hook, args, instance->data);
}

static int hook_on_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct kt_hook *hook = hook_of(instance);

	if (likely(hook))
		hook->leave(instance->data, regs_return_value(regs));
	return 0;
}

static int hook_plant(struct kt_hook_probes *probes, const struct kt_hook *hook)
{
	u32 max_open = max(OPEN_A_CPU * num_possible_cpus(), OPEN_AT_LEAST + 0U);
	size_t room = kt_room_of_kretprobe(max_open, KT_HOOK_DATA);
	struct ret *ret = &probes->rets[probes->nr_rets];
	int error;

	if (!kt_mem_charge(room))
		return -ENOMEM;
	probes->room += room;
	ret->hook = hook;
	ret->kretprobe.kp.addr = (void *)hook->ip;
	ret->kretprobe.entry_handler = hook_on_entry;
	ret->kretprobe.handler = hook_on_return;
	ret->kretprobe.data_size = KT_HOOK_DATA;
	ret->kretprobe.maxactive = max_open;
	error = kt_kretprobe_register(&ret->kretprobe);
	probes->nr_rets += !error;
	return error;
}

static int hook_attach_returns(struct kt_hook_probes *probes)
{
	const struct kt_hooks *hooks = probes->hooks;
	u32 i;
	int error = 0;

	for (i = 0; i < hooks->nr && !error; i++)
		if (hooks->hooks[i].ip && hooks->hooks[i].leave)
			error = hook_plant(probes, &hooks->hooks[i]);
	return error;
}

static bool hook_detach_returns(struct kt_hook_probes *probes)
{
	struct kretprobe *kretprobes[KT_HOOKS];
	bool are_out = true;
	u32 i;

	for (i = 0; i < probes->nr_rets; i++) {
		kretprobes[i] = &probes->rets[i].kretprobe;
		WRITE_ONCE(probes->rets[i].hook, NULL);
	}
	kt_kretprobes_remove(kretprobes, i);
	for (i = 0; i < probes->nr_rets; i++)
		are_out &= kt_kretprobe_is_out(kretprobes[i]);
	return are_out;
}

/* A kretprobe misses calls without room for the return, and calls in another probe's handler. */
static u64 hook_missed_by(const struct kt_hook_probes *probes)
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

static void hook_free_probes(struct kt_hook_probes *probes)
{
	if (probes->room) {
		kt_mem_uncharge(probes->room);
		kt_task_pages_give();
	}
	kt_mem_free(probes, sizeof(*probes));
}

static void hook_detach(struct kt_hooks *hooks)
{
	struct kt_hook_probes *probes = hooks->probes;
	bool are_out;

	hooks->probes = NULL;
	WRITE_ONCE(probes->hooks, NULL);
	are_out = hook_detach_entries(probes);
	are_out &= hook_detach_returns(probes);
	hooks->missed += hook_missed_by(probes);
	if (are_out)
		hook_free_probes(probes);
}

int kt_hooks_attach(struct kt_hooks *hooks)
{
	int error = hook_find(hooks);

	if (error)
		return error;
	hooks->probes = kt_mem_alloc(sizeof(*hooks->probes));
	if (!hooks->probes)
		return -ENOMEM;
	hooks->probes->hooks = hooks;
	error = hook_attach_returns(hooks->probes);
	if (!error)
		error = hook_attach_entries(hooks->probes);
	if (error)
		hook_detach(hooks);
	return error;
}

void kt_hooks_detach(struct kt_hooks *hooks)
{
	hook_detach(hooks);
}

u64 kt_hooks_missed(const struct kt_hooks *hooks)
{
	return hooks->missed + (hooks->probes ? hook_missed_by(hooks->probes) : 0);
}
