/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SECTIONS_H
#define SECTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <gelf.h>

/* Fills id (20 bytes) with an ELF file's build-id. Returns the length of the id, or 0. */
size_t elf_build_id(Elf *elf, unsigned char *id);

/*
 * Returns true if a section of strings ends with a 0, as the format requires. Otherwise
 * elf_strptr() would search for the last 0 at every call.
 */
bool elf_strings_end(Elf *elf, size_t section);

/* Return the first section of a type, or with this name, or NULL. The first one sets *header. */
Elf_Scn *elf_section(Elf *elf, GElf_Word type, GElf_Shdr *header);
Elf_Scn *elf_section_named(Elf *elf, const char *name);

#endif
