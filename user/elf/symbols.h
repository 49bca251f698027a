/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include "elf/elf.h"

/*
 * Reads a file's functions and imports. Sets file->source to the place of the functions: .symtab, a
 * separate debug file, or .dynsym together with .gnu_debugdata.
 */
void symbols_read(struct elf_file *file);

/*
 * Looks up the imports of user that this file defines, in the version of the import, or the default
 * version if the import or this file has no versions. Fills the entries of found[user->nr_imports]
 * whose name is NULL.
 */
void symbols_resolve(const struct elf_file *file, const struct elf_file *user,
		     struct elf_sym *found);

/* The address in the file where the loader writes the address of an imported function. */
struct elf_slot {
	const char *name;
	uint64_t addr;
};

/* Lists all slots, sorted by name; a name may have several. Returns how many. Free the list. */
size_t symbols_slots(const struct elf_file *file, struct elf_slot **slots);

/* Returns the first slot of a name, or the place where it would be in the list. */
const struct elf_slot *symbols_slot(const struct elf_slot *slots, size_t nr, const char *name);

#endif
