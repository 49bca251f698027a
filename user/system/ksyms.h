/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KSYMS_H
#define KSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* A function of the kernel, as /proc/kallsyms lists it. */
struct ksym {
	char *name;
	char *module;	/* NULL: the kernel itself */
	size_t nr;	/* above 1: so many functions share the name, and addresses are hidden */
	uint64_t addr;	/* 0: the kernel hides it */
};

/* All functions, sorted by name, each once. */
struct ksyms {
	struct ksym *syms;
	size_t nr;
};

/* Reads a file like /proc/kallsyms. Returns 0, or -1 with err set. */
int ksyms_read(struct ksyms *ksyms, const char *path, struct err *err);
void ksyms_free(struct ksyms *ksyms);

#endif
