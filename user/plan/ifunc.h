/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IFUNC_H
#define IFUNC_H

#include <sys/types.h>

#include "elf/elf.h"
#include "elf/symbols.h"
#include "system/maps.h"

/*
 * Imports of a file whose code a library chooses when a program starts, by the
 * processor and the environment. What was chosen is in the memory of who runs:
 * of a process that has file mapped, or of this one, which chooses as a
 * program does that it starts.
 */
struct ifunc {
	const struct elf_file *file;
	pid_t pid;		/* 0: this process */
	struct maps maps;
	uint64_t bias;		/* of file in the process */
	struct elf_slot *slots;	/* of the file */
	size_t nr_slots;
};

void ifunc_open(struct ifunc *ifunc, const struct elf_file *file, pid_t pid);
void ifunc_close(struct ifunc *ifunc);

/* The address in lib of what an import stands for; false: it cannot be told. */
bool ifunc_resolve(const struct ifunc *ifunc, const struct elf_import *import,
		   const struct elf_file *lib, uint64_t *addr);

#endif
