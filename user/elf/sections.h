/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SECTIONS_H
#define SECTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <gelf.h>

/* Fills id (20 bytes) with an ELF file's build-id; returns its length, or 0. */
size_t elf_build_id(Elf *elf, unsigned char *id);

/*
 * Does a section of strings end with a 0, as it has to? Otherwise elf_strptr() looks for the last
 * one at every call.
 */
bool elf_strings_end(Elf *elf, size_t section);

bool elf_has_section(Elf *elf, const char *name);

#endif
