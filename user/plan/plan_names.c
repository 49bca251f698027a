// SPDX-License-Identifier: GPL-2.0
/* The names that are shown for files and functions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plan/maker.h"
#include "util/mem.h"

const char *plan_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void plan_show_as(struct elf_file *file, const char *name)
{
	free(file->path);
	file->path = mem_string(name);
}

char *plan_shown_name(const struct maker *maker, unsigned int object, const char *plain)
{
	if (!object && !maker->options->with_file_name)
		return mem_string(plain);
	return mem_format("%s@%s", plain,
			  plan_file_name(maker->plan->objects[object].path));
}

/* --- functions that share a name, such as static functions of two source files --- */

/* Functions of one name stay together, and those of one source file among them. */
static int by_source(const void *a, const void *b)
{
	const struct plan_func *x = *(struct plan_func *const *)a, *y = *(struct plan_func *const *)b;
	int order = strcmp(x->name, y->name);

	if (!order)
		order = strcmp(x->source ? x->source : "", y->source ? y->source : "");
	if (order || x->addr == y->addr)
		return order;
	return x->addr < y->addr ? -1 : 1;
}

static bool is_same_name(const struct plan_func *a, const struct plan_func *b)
{
	return !strcmp(a->name, b->name);
}

static bool is_same_source(const struct plan_func *a, const struct plan_func *b)
{
	return a->source && b->source && !strcmp(a->source, b->source);
}

/* Adds the source file, or the address if the file is unknown or has several of them. */
static char *name_of(struct plan_func *const *funcs, size_t nr, size_t i)
{
	const struct plan_func *func = funcs[i];

	if (!func->source || (i && is_same_source(func, funcs[i - 1])) ||
	    (i + 1 < nr && is_same_source(func, funcs[i + 1])))
		return mem_format("%s [0x%" PRIx64 "]", func->name, func->addr);
	return mem_format("%s [%s]", func->name, func->source);
}

static void tell_apart(struct plan_func **funcs, size_t nr)
{
	char **names = mem_alloc(nr * sizeof(*names));
	size_t i;

	for (i = 0; i < nr; i++)
		names[i] = name_of(funcs, nr, i);
	for (i = 0; i < nr; i++) {
		free(funcs[i]->name);
		funcs[i]->name = names[i];
	}
	free(names);
}

/* Silent functions are not shown. */
static size_t list_shown(struct plan *plan, struct plan_func **shown)
{
	struct plan_func *func;
	size_t nr = 0;

	for (func = plan->funcs; func < plan->funcs + plan->nr_funcs; func++)
		if (func->left_out || func->desc.ret != KTRACE_RETURN_SILENT)
			shown[nr++] = func;
	return nr;
}

void plan_tell_apart(struct plan *plan)
{
	struct plan_func **shown = mem_alloc(plan->nr_funcs * sizeof(*shown));
	size_t nr = list_shown(plan, shown), first, end;

	if (nr)
		qsort(shown, nr, sizeof(*shown), by_source);
	for (first = 0; first < nr; first = end) {
		for (end = first + 1; end < nr && is_same_name(shown[end], shown[first]); end++)
			;
		if (end - first > 1)
			tell_apart(shown + first, end - first);
	}
	free(shown);
}
