/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include "elf/elf.h"

/*
 * Reads a file's functions and imports, and says in file->source where the
 * functions were found: .symtab, a separate debug file, or .dynsym with
 * what .gnu_debugdata adds.
 */
void symbols_read(struct elf_file *file);

/*
 * Looks up the imports of user that this file defines, in their version or else
 * the default one; fills found[user->nr_imports] where its name is still NULL.
 */
void symbols_resolve(const struct elf_file *file, const struct elf_file *user,
		     struct elf_sym *found);

/* Where the loader writes the address of an imported function; of the file. */
struct elf_slot {
	const char *name;
	uint64_t addr;
};

/* All of them, by name, to be freed. Returns how many; a name may have several. */
size_t symbols_slots(const struct elf_file *file, struct elf_slot **slots);

/* The first of that name, or where it would be. */
const struct elf_slot *symbols_slot(const struct elf_slot *slots, size_t nr, const char *name);

#endif
