/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IFUNC_H
#define IFUNC_H

#include <sys/types.h>

#include "elf/elf.h"
#include "elf/symbols.h"
#include "system/maps.h"

/*
 * An IFUNC is an import whose code the library chooses when a program starts, by the processor and
 * the environment. The chosen address is read from the memory of a process that has the file
 * mapped, or, without such a process, from this process: a program that it starts chooses the same.
 */
struct ifunc {
	const struct elf_file *file;
	pid_t pid;		/* 0: this process */
	struct maps maps;
	uint64_t bias;		/* address in the process minus address in the file */
	struct elf_slot *slots;	/* the slots of the file's imports */
	size_t nr_slots;
};

void ifunc_open(struct ifunc *ifunc, const struct elf_file *file, pid_t pid);
void ifunc_close(struct ifunc *ifunc);

/*
 * Sets addr to the address in lib of the code chosen for an import. Returns false if it is unknown
 * or elsewhere, and sets why to the reason if that is known.
 */
bool ifunc_resolve(const struct ifunc *ifunc, const struct elf_import *import,
		   const struct elf_file *lib, uint64_t *addr, const char **why);

#endif
