/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include "elf.h"

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

/*
 * Where the loader writes the address of an imported function, the n-th such
 * place; an address of the file, or 0.
 */
uint64_t symbols_slot(const struct elf_file *file, const char *name, size_t n);

#endif
