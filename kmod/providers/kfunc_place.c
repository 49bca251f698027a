// SPDX-License-Identifier: GPL-2.0
/*
 * The addresses of functions. Since 5.7 modules cannot look up names, so this file registers
 * kprobes that are never armed, and reads their addresses. This is fast if user space gives the
 * address. The address is used only if the kernel has the same name for it.
 */
#include <linux/err.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "core/session.h"
#include "lib/mem.h"
#include "providers/kfunc_parts.h"
#include "providers/kfunc_place.h"

#define AT_ONCE 1024	/* probes removed per grace period */

struct batch {
	struct kprobe kprobes[AT_ONCE];
	struct kprobe *registered[AT_ONCE];
	u32 nr;
};

static size_t kfunc_place_ips_len(u32 nr)
{
	return nr * sizeof(unsigned long);
}

static size_t kfunc_place_places_len(u32 nr_slots)
{
	return sizeof(struct kt_kfunc_places) + nr_slots * sizeof(struct kt_kfunc_place);
}

void kt_kfunc_places_free(struct kt_kfunc_places *places)
{
	if (!places)
		return;
	kt_mem_free(places->ips, kfunc_place_ips_len(places->mask + 1));
	kt_mem_free(places, kfunc_place_places_len(places->mask + 1));
}

static struct kt_kfunc_places *kfunc_place_alloc_places(u32 nr)
{
	u32 order = order_base_2(max_t(u32, nr, 4)) + 1;
	struct kt_kfunc_places *places = kt_mem_alloc(kfunc_place_places_len(1U << order));

	if (!places)
		return NULL;
	places->mask = (1U << order) - 1;
	places->shift = 64 - order;
	places->ips = kt_mem_alloc(kfunc_place_ips_len(1U << order));
	if (places->ips)
		return places;
	kt_kfunc_places_free(places);
	return NULL;
}

/* Returns -EEXIST if there is another name for the same place: both are one function. */
static int kfunc_place_put(struct kt_kfunc_places *places, unsigned long ip, u32 func)
{
	u32 slot = kt_kfunc_slot(places, ip);

	for (; places->slots[slot].ip; slot = (slot + 1) & places->mask)
		if (places->slots[slot].ip == ip)
			return -EEXIST;
	places->slots[slot].ip = ip;
	places->slots[slot].func = func;
	places->ips[places->nr++] = ip;
	return 0;
}

#define NAME_ROOM (KTRACE_SYMBOL_LEN + 4)

/* The kernel prints "ext4:ext4_sync_file" as "ext4_sync_file [ext4]". */
static bool kfunc_place_is_called(unsigned long addr, const char *symbol)
{
	const char *colon = strchr(symbol, ':');
	char name[NAME_ROOM], there[KSYM_SYMBOL_LEN];

	if (colon)
		snprintf(name, sizeof(name), "%s [%.*s]", colon + 1, (int)(colon - symbol), symbol);
	sprint_symbol_no_offset(there, addr);
	return !strcmp(there, colon ? name : symbol);
}

bool kt_kfunc_is_at(const struct kt_kfunc *kfunc)
{
	return kfunc->addr && kfunc_place_is_called(kfunc->addr, kfunc->name);
}

static int kfunc_place_find(struct batch *batch, const struct kt_kfunc *kfunc, unsigned long *ip)
{
	struct kprobe *kprobe = &batch->kprobes[batch->nr];
	int error;

	memset(kprobe, 0, sizeof(*kprobe));
	if (kt_kfunc_is_at(kfunc))
		kprobe->addr = (void *)kfunc->addr;
	else
		kprobe->symbol_name = kfunc->name;
	kprobe->flags = KPROBE_FLAG_DISABLED;
	error = register_kprobe(kprobe);
	if (error)
		return error;
	batch->registered[batch->nr++] = kprobe;
	*ip = (unsigned long)kprobe->addr;
	return kprobe->flags & KPROBE_FLAG_FTRACE ? 0 : -EOPNOTSUPP;
}

static void kfunc_place_forget(struct batch *batch)
{
	if (batch->nr)
		unregister_kprobes(batch->registered, batch->nr);
	batch->nr = 0;
}

static u32 kfunc_place_nr_probed(const struct kt_kfuncs *kfuncs)
{
	const struct kt_kfunc *kfunc;
	u32 nr = 0;

	list_for_each_entry(kfunc, &kfuncs->list, node)
		nr += !!kfunc->probe;
	return nr;
}

static int kfunc_place_fill(struct kt_kfuncs *kfuncs, struct kt_kfunc_places *places,
			    struct batch *batch)
{
	struct kt_session *session = kfuncs->session;
	struct kt_kfunc *kfunc;
	u32 nr = kfunc_place_nr_probed(kfuncs);
	unsigned long ip = 0;
	int error;

	list_for_each_entry(kfunc, &kfuncs->list, node) {
		if (session->hot.funcs[kfunc->func].error || kfunc->probe)
			continue;
		if (kt_session_is_cancelled(session))
			return -EINTR;
		error = kfunc_place_find(batch, kfunc, &ip);
		if (!error)
			error = kfunc_place_put(places, ip, kfunc->func);
		session->hot.funcs[kfunc->func].error = error;
		if (batch->nr == AT_ONCE)
			kfunc_place_forget(batch);
		WRITE_ONCE(session->nr_sites, nr + places->nr);
		cond_resched();
	}
	return 0;
}

struct kt_kfunc_places *kt_kfunc_places_create(struct kt_kfuncs *kfuncs, int *error)
{
	struct kt_kfunc_places *places = kfunc_place_alloc_places(kfuncs->nr);
	struct batch *batch = kt_mem_alloc(sizeof(*batch));

	*error = -ENOMEM;
	if (places && batch)
		*error = kfunc_place_fill(kfuncs, places, batch);
	if (batch)
		kfunc_place_forget(batch);
	kt_mem_free(batch, sizeof(*batch));
	if (!*error)
		return places;
	kt_kfunc_places_free(places);
	return NULL;
}
