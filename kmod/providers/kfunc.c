// SPDX-License-Identifier: GPL-2.0
/* Functions of the kernel: the list that a session gets, and the probes. */
#include <linux/cpumask.h>
#include <linux/ctype.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <uapi/ktrace.h>

#include "core/hist.h"
#include "core/hit.h"
#include "core/provider.h"
#include "core/refill.h"
#include "core/session.h"
#include "core/shadow.h"
#include "core/table.h"
#include "lib/mem.h"
#include "lib/ticks.h"
#include "providers/kfunc_parts.h"
#include "providers/kfunc_probe.h"
#include "providers/providers.h"

/* --- the functions of a session --------------------------------------------- */

static bool kfunc_is_name_good(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!isalnum(name[i]) && !strchr("_.:$-", name[i]))
			return false;
	return len && len <= KTRACE_SYMBOL_LEN;
}

static size_t kfunc_packed_len(const struct ktrace_symbol *symbol)
{
	return sizeof(*symbol) + ALIGN(symbol->len, 8);
}

static int kfunc_check(const struct kt_session *session, const void *data, size_t len)
{
	u8 flags = KTRACE_FUNC_TASK | (session->hot.flags & KTRACE_F_ERRORS ? 0 :
				       KTRACE_FUNC_BELOW | KTRACE_FUNC_NOT_BELOW);
	const struct ktrace_symbol *symbol;

	for (; len; data += kfunc_packed_len(symbol), len -= kfunc_packed_len(symbol)) {
		symbol = data;
		if (len < sizeof(*symbol) || len < kfunc_packed_len(symbol) ||
		    symbol->result > KTRACE_VALUE_INT ||
		    symbol->func >= session->config.nr_funcs || (symbol->flags & ~flags) ||
		    !kfunc_is_name_good(symbol->name, symbol->len))
			return -EINVAL;
		if (session->hot.funcs[symbol->func].is_told)
			return -EEXIST;
	}
	return 0;
}

static struct kt_kfuncs *kfunc_create(struct kt_session *session)
{
	struct kt_kfuncs *kfuncs = kt_mem_alloc(sizeof(*kfuncs));

	if (!kfuncs)
		return NULL;
	kfuncs->session = session;
	kfuncs->is_tree = (session->hot.sinks & (KTRACE_SINK_TREE | KTRACE_SINK_STACKS)) ==
			  KTRACE_SINK_TREE;
	INIT_LIST_HEAD(&kfuncs->list);
	kt_kprobes_init(kfuncs);
	session->source = kfuncs;
	return kfuncs;
}

/* This check finds numbers that occur twice in one message. */
static int kfunc_add_one(struct kt_session *session, struct kt_kfuncs *kfuncs,
			 const struct ktrace_symbol *symbol)
{
	size_t len = sizeof(struct kt_kfunc) + symbol->len + 1;
	struct kt_kfunc *kfunc;

	if (session->hot.funcs[symbol->func].is_told)
		return -EEXIST;
	kfunc = kt_mem_alloc(len);
	if (!kfunc)
		return -ENOMEM;
	kfunc->len = len;
	kfunc->func = symbol->func;
	kfunc->addr = symbol->addr;
	memcpy(kfunc->name, symbol->name, symbol->len);
	session->hot.funcs[symbol->func].desc.flags = symbol->flags;
	session->hot.funcs[symbol->func].is_told = true;
	session->hot.funcs[symbol->func].has_number = symbol->result == KTRACE_VALUE_INT;
	list_add_tail(&kfunc->node, &kfuncs->list);
	kfuncs->nr++;
	return 0;
}

static void free_kfunc(struct kt_kfunc *kfunc)
{
	list_del(&kfunc->node);
	kt_mem_free(kfunc, kfunc->len);
}

/* Removes the newest functions until nr are left. */
static void kfunc_take_back(struct kt_session *session, struct kt_kfuncs *kfuncs, u32 nr)
{
	struct kt_kfunc *kfunc;
	struct kt_func *func;

	while (kfuncs->nr > nr) {
		kfunc = list_entry(kfuncs->list.prev, struct kt_kfunc, node);
		func = &session->hot.funcs[kfunc->func];
		func->desc.flags = 0;
		func->is_told = false;
		func->has_number = false;
		free_kfunc(kfunc);
		kfuncs->nr--;
	}
}

/* All functions of the message have been added. */
static void kfunc_use_all(struct kt_session *session, const void *data, size_t len)
{
	const struct ktrace_symbol *symbol;

	for (; len; data += kfunc_packed_len(symbol), len -= kfunc_packed_len(symbol)) {
		symbol = data;
		session->nr_used = max(session->nr_used, symbol->func + 1);
		if (symbol->flags & KTRACE_FUNC_BELOW)
			session->hot.base_depth = KT_DEPTH_OUTSIDE;
	}
}

static int kfunc_add_all(struct kt_session *session, struct kt_kfuncs *kfuncs, const void *data,
			 size_t len)
{
	const struct ktrace_symbol *symbol;
	u32 nr = kfuncs->nr;
	int error;

	for (; len; data += kfunc_packed_len(symbol), len -= kfunc_packed_len(symbol)) {
		symbol = data;
		error = kfunc_add_one(session, kfuncs, symbol);
		if (!error)
			continue;
		kfunc_take_back(session, kfuncs, nr);
		return error;
	}
	return 0;
}

/* Adds all functions of a message, or none. */
static int kfunc_add_message(struct kt_session *session, const void *data, size_t len)
{
	struct kt_kfuncs *kfuncs = session->source ? session->source : kfunc_create(session);
	int error = kfuncs ? kfunc_add_all(session, kfuncs, data, len) : -ENOMEM;

	if (!error)
		kfunc_use_all(session, data, len);
	return error;
}

static int kfunc_add(struct kt_session *session, const void *data, size_t len)
{
	int error = kfunc_check(session, data, len);

	return error ? error : kfunc_add_message(session, data, len);
}

/* --- probes ----------------------------------------------------------------- */

static void kfunc_count_failed(struct kt_session *session)
{
	u32 func, nr_failed = 0;

	for (func = 0; func < session->nr_used; func++)
		nr_failed += !!session->hot.funcs[func].error;
	session->nr_failed = nr_failed;
}

#define MOST_HISTS 2048	/* in the pool: not all functions are called at once */
#define MOST_ROWS 1024
#define ROWS_OF_CPU 32

/* Fills the pools for the first calls of all functions, on all CPUs at once. */
static void kfunc_prepare(struct kt_kfuncs *kfuncs, bool is_attached)
{
	u32 nr = min_t(u32, kfuncs->nr * num_online_cpus(), MOST_HISTS);
	int rows = min_t(u32, ROWS_OF_CPU * nr_cpu_ids, MOST_ROWS);
	const struct kt_session *session = kfuncs->session;
	int more = (int)(nr * is_attached - kfuncs->nr_wanted);

	if (!more)
		return;
	if (session->hot.sinks & (KTRACE_SINK_HIST | KTRACE_SINK_COUNT))
		kt_hist_want(more);
	if (session->hot.sinks & KTRACE_SINK_TABLE)
		kt_table_want(&session->config.table, is_attached ? rows : -rows);
	kfuncs->nr_wanted = nr * is_attached;
	kt_refill_all(GFP_KERNEL);
}

/*
 * Probes are planted and removed one by one, while calls go on. Calls count only while all
 * functions are probed: else a function that is probed longer would seem to have more calls.
 */
static void kfunc_open_gate(struct kt_kfuncs *kfuncs)
{
	struct kt_session *session = kfuncs->session;

	if (kfuncs->is_open || !kt_session_is_open(session))
		return;
	kt_session_begin_window(session);
	WRITE_ONCE(kfuncs->is_open, true);
	WRITE_ONCE(kfuncs->is_timed,
		   !(session->hot.sinks & (KTRACE_SINK_TREE | KTRACE_SINK_STACKS)));
	WRITE_ONCE(kfuncs->is_plain, !(session->hot.sinks & (KTRACE_SINK_TREE | KTRACE_SINK_STREAM |
							     KTRACE_SINK_TABLE)));
}

static void kfunc_close_gate(struct kt_kfuncs *kfuncs)
{
	if (!kfuncs->is_open)
		return;
	WRITE_ONCE(kfuncs->is_plain, false);
	WRITE_ONCE(kfuncs->is_timed, false);
	WRITE_ONCE(kfuncs->is_open, false);
	kt_session_end_window(kfuncs->session);
}

/* With COUNT alone, nothing is missed. */
static void kfunc_will_open(struct kt_session *session)
{
	if (session->source && !(session->hot.sinks & KTRACE_SINK_COUNT))
		kt_kprobes_begin_missed(session->source);
}

static void kfunc_will_close(struct kt_session *session)
{
	if (session->source && !(session->hot.sinks & KTRACE_SINK_COUNT))
		kt_kprobes_end_missed(session->source);
}

static void kfunc_set_open(struct kt_session *session, bool is_open)
{
	if (session->source && is_open)
		kfunc_open_gate(session->source);
	else if (session->source)
		kfunc_close_gate(session->source);
}

static int kfunc_attach_all(struct kt_session *session, struct kt_kfuncs *kfuncs)
{
	int error;

	kfunc_prepare(kfuncs, true);
	error = session->hot.sinks & KTRACE_SINK_COUNT ? kt_kprobes_attach_count(kfuncs) :
		kt_kprobes_attach(kfuncs);
	if (!error)
		kfunc_open_gate(kfuncs);
	return error;
}

static int kfunc_attach(struct kt_session *session)
{
	int error = session->source ? kfunc_attach_all(session, session->source) : 0;

	kfunc_count_failed(session);
	return error;
}

static void kfunc_detach(struct kt_session *session)
{
	struct kt_kfuncs *kfuncs = session->source;

	if (!kfuncs)
		return;
	kfunc_close_gate(kfuncs);
	if (session->hot.sinks & KTRACE_SINK_COUNT)
		kt_kprobes_detach_count(kfuncs);
	else
		kt_kprobes_detach(kfuncs);
	kfunc_prepare(kfuncs, false);
}

static u64 kfunc_missed(struct kt_session *session)
{
	return session->source ? kt_kprobes_missed(session->source) : 0;
}

static void kfunc_put(struct kt_session *session)
{
	struct kt_kfuncs *kfuncs = session->source;
	struct kt_kfunc *kfunc, *next;

	if (!kfuncs)
		return;
	list_for_each_entry_safe(kfunc, next, &kfuncs->list, node)
		free_kfunc(kfunc);
	kt_mem_free(kfuncs, sizeof(*kfuncs));
}

/* A session with a tree has neither records nor rows. */
static bool kfunc_are_sinks_good(u32 sinks, u32 flags)
{
	return !((sinks & KTRACE_SINK_TREE) && (sinks & (KTRACE_SINK_STREAM | KTRACE_SINK_TABLE)));
}

static const struct kt_columns kfunc_columns = {
	.keys = KT_KEYS_OF_TASKS | 1U << KTRACE_KEY_FUNCTION,
	.own = { KTRACE_KEY_FUNCTION },
	.values = KT_FIGURES_OF_CALLS | 1ULL << KTRACE_FIGURE_ENTRIES |
		  1ULL << KTRACE_FIGURE_ERRORS | 1ULL << KTRACE_FIGURE_SELF |
		  1ULL << KTRACE_FIGURE_SUM,
	.self_sinks = KTRACE_SINK_TREE,
};

const struct kt_provider kt_kfunc_provider = {
	.number = KTRACE_PROVIDER_KERNEL,
	.sinks = KTRACE_SINK_HIST | KTRACE_SINK_COUNT | KTRACE_SINK_TABLE | KTRACE_SINK_TREE |
		 KTRACE_SINK_STREAM | KTRACE_SINK_STACKS,
	.flags = KTRACE_F_OVERWRITE | KTRACE_F_ERRORS | KTRACE_F_GATE | KTRACE_F_UNWIND,
	.nr_trigger = ~0U,
	.has_errors = true,
	.min_time_with = KTRACE_SINK_HIST | KTRACE_SINK_STREAM | KTRACE_SINK_TABLE,
	.max_depth_with = KTRACE_SINK_TREE,
	.frames_with = KTRACE_SINK_TREE | KTRACE_SINK_STREAM,
	.has_follow = true,
	.has_on_exec = true,
	.columns = &kfunc_columns,
	.are_sinks_good = kfunc_are_sinks_good,
	.is_on_kernel_stack = true,
	.missed = kfunc_missed,
	.will_open = kfunc_will_open, .will_close = kfunc_will_close, .set_open = kfunc_set_open,
	.add = kfunc_add, .attach = kfunc_attach, .detach = kfunc_detach, .put = kfunc_put,
};
