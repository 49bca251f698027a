// SPDX-License-Identifier: GPL-2.0
/*
 * Adds the targets of tail jumps. A call that ends with a tail jump returns when the target does.
 * So the returns of the target are probed, and those of its own targets in turn, even if the
 * options do not select these functions. Targets in other files are not added: the whole program
 * may use an import.
 */
#include <stdlib.h>

#include "plan/maker.h"
#include "util/effort.h"
#include "util/mem.h"

/* Limits the consecutive jumps to follow, in case of a crafted file. */
#define MAX_ROUNDS 16

struct target {
	unsigned int object;
	uint64_t addr;
};

struct targets {
	struct target *all;
	size_t nr;
};

static int by_place(const void *a, const void *b)
{
	const struct target *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return (x->addr > y->addr) - (x->addr < y->addr);
}

static void add(struct targets *to, unsigned int object, uint64_t addr)
{
	to->all = mem_grow(to->all, to->nr, sizeof(*to->all));
	to->all[to->nr++] = (struct target){ object, addr };
}

static void sort(struct targets *targets)
{
	if (targets->nr)
		qsort(targets->all, targets->nr, sizeof(*targets->all), by_place);
}

static bool has(const struct targets *in, const struct target *target)
{
	return in->nr && bsearch(target, in->all, in->nr, sizeof(*in->all), by_place);
}

/* Collects the targets of direct jumps of the functions from index "from" on. */
static void find_jumps(const struct plan *plan, size_t from, struct targets *to)
{
	const struct plan_func *func;
	unsigned int i;

	for (func = plan->funcs + from; func < plan->funcs + plan->nr_funcs; func++)
		for (i = 0; !func->left_out && i < func->nr_jumps; i++)
			add(to, func->object, func->jumps[i]);
	sort(to);
}

static void find_known(const struct plan *plan, struct targets *to)
{
	const struct plan_func *func;

	for (func = plan->funcs; func < plan->funcs + plan->nr_funcs; func++)
		add(to, func->object, func->addr);
	sort(to);
}

/* Adds the targets that are not in the plan yet. */
static void add_new(struct maker *maker, const struct targets *targets,
		    const struct targets *known)
{
	unsigned int object = UINT32_MAX;
	size_t i;

	for (i = 0; i < targets->nr && !effort_is_spent(); i++) {
		if ((i && !by_place(&targets->all[i - 1], &targets->all[i])) ||
		    has(known, &targets->all[i]))
			continue;
		if (targets->all[i].object != object) {
			object = targets->all[i].object;
			plan_index_colds(maker, &maker->plan->objects[object]);
		}
		plan_add_returns(maker, object, targets->all[i].addr);
	}
}

void plan_add_silent(struct maker *maker)
{
	struct targets targets = { NULL, 0 }, known = { NULL, 0 };
	size_t from = 0, nr;
	int round = 0;

	do {
		nr = maker->plan->nr_funcs;
		targets.nr = 0;
		known.nr = 0;
		find_jumps(maker->plan, from, &targets);
		find_known(maker->plan, &known);
		add_new(maker, &targets, &known);
		from = nr;
	} while (maker->plan->nr_funcs > nr && ++round < MAX_ROUNDS);
	free(targets.all);
	free(known.all);
}
