// SPDX-License-Identifier: GPL-2.0
/* The cold parts of a file's functions, and the limit of the bytes to decode in a file. */
#include <stdlib.h>
#include <string.h>

#include "plan/maker.h"
#include "util/bound.h"
#include "util/mem.h"

#define MIN_BUDGET (1UL << 20)
#define MAX_BUDGET (1UL << 30)

bool plan_is_cold(const char *name)
{
	const char *at = strstr(name, ".cold");

	return at && (!at[5] || at[5] == '.');
}

/* Returns the length of NAME in "NAME.cold" or "NAME.cold.1". */
static size_t base_len(const char *cold)
{
	return strstr(cold, ".cold") - cold;
}

/* Compares a function's name (base, len) and address with a cold part. */
static int compare_cold(const char *base, size_t len, uint64_t addr, const struct elf_sym *cold)
{
	size_t its_len = base_len(cold->name);
	int order = memcmp(base, cold->name, len < its_len ? len : its_len);

	if (order)
		return order;
	if (len != its_len)
		return len < its_len ? -1 : 1;
	return (addr > cold->addr) - (addr < cold->addr);
}

static int by_base(const void *a, const void *b)
{
	const struct elf_sym *x = *(const struct elf_sym *const *)a;

	return compare_cold(x->name, base_len(x->name), x->addr,
			    *(const struct elf_sym *const *)b);
}

/*
 * Functions that do not overlap have no more bytes than their file (own). Functions that contain
 * others, cold parts and jump tables may have as many bytes again, and MIN_BUDGET (budget). This
 * limits the time for a crafted file whose functions overlap.
 */
static void set_budget(struct maker *maker, const struct elf_file *file)
{
	maker->own = file->len < MAX_BUDGET ? file->len : MAX_BUDGET;
	maker->budget = maker->own + MIN_BUDGET;
}

void plan_index_colds(struct maker *maker, const struct elf_file *file)
{
	size_t i;

	set_budget(maker, file);
	maker->nr_colds = 0;
	for (i = 0; i < file->nr_syms; i++) {
		if (!plan_is_cold(file->syms[i].name))
			continue;
		maker->colds = mem_grow(maker->colds, maker->nr_colds, sizeof(*maker->colds));
		maker->colds[maker->nr_colds++] = &file->syms[i];
	}
	if (maker->nr_colds)
		qsort(maker->colds, maker->nr_colds, sizeof(*maker->colds), by_base);
}

static bool is_cold_of(const struct elf_sym *cold, const char *name, size_t len)
{
	return base_len(cold->name) == len && !memcmp(cold->name, name, len);
}

/* Several local functions of one name may each have a cold part. Returns the nearest one. */
const struct elf_sym *plan_cold_of(const struct maker *maker, const struct elf_sym *sym)
{
	size_t len = strlen(sym->name);
	size_t at = BOUND(maker->nr_colds, i,
			  compare_cold(sym->name, len, sym->addr, maker->colds[i]) > 0);
	const struct elf_sym *before = at ? maker->colds[at - 1] : NULL;
	const struct elf_sym *behind = at < maker->nr_colds ? maker->colds[at] : NULL;

	if (before && !is_cold_of(before, sym->name, len))
		before = NULL;
	if (behind && !is_cold_of(behind, sym->name, len))
		behind = NULL;
	if (!before || !behind)
		return before ? before : behind;
	return sym->addr - before->addr < behind->addr - sym->addr ? before : behind;
}
