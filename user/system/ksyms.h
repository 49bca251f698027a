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
	size_t nr;	/* how many are called so there, if it hides where they are */
	uint64_t addr;	/* 0: the kernel hides it */
};

/* All of them, by name, each once. */
struct ksyms {
	struct ksym *syms;
	size_t nr;
};

/* From a file like /proc/kallsyms. 0, or -1 with err set. */
int ksyms_read(struct ksyms *ksyms, const char *path, struct err *err);
void ksyms_free(struct ksyms *ksyms);

#endif
