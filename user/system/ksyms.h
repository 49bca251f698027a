/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KSYMS_H
#define KSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"
#include "util/match.h"

#define KALLSYMS "/proc/kallsyms"

/* A function of the kernel, as /proc/kallsyms lists it. */
struct ksym {
	char *name;
	char *module;	/* NULL: the kernel itself */
	size_t nr;	/* above 1: so many functions share the name, and addresses are hidden */
	uint64_t addr;	/* 0: the kernel hides it */
};

/* Functions, sorted by name, each once. */
struct ksyms {
	struct ksym *syms;
	size_t nr;
	struct ksym *starts;	/* without names: where the kernel and each module begin */
	size_t nr_starts;
	uint64_t stext, etext;	/* the kernel's text; 0: unknown */
};

/*
 * Returns true if a pattern matches the name with or without its module; each such pattern is then
 * marked as used.
 */
bool ksym_is_wanted(const struct ksym *sym, const struct match *match);
/* Returns the name that the module and the kernel use; the caller frees it. */
char *ksym_symbol(const struct ksym *sym);

/*
 * Reads those functions of a file like /proc/kallsyms that match wants, or all if it is NULL. Marks
 * no pattern as used. Returns 0, or -1 with err set.
 */
int ksyms_read(struct ksyms *ksyms, const char *path, const struct match *match,
	       struct err *err);
void ksyms_free(struct ksyms *ksyms);

/* Returns the first address of the functions of a module, or of the kernel (NULL). */
uint64_t ksyms_start(const struct ksyms *ksyms, const char *module);

#endif
