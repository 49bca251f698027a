/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ELF_H
#define ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libelf.h>

#include "err.h"

/* Strings live as long as the file is open. Addresses are those of the file. */
struct elf_sym {
	const char *name;
	uint64_t addr;
	uint64_t size;
	unsigned char bind;
	bool is_ifunc;
};

struct elf_import {
	const char *name;
	const char *version;	/* or NULL */
};

struct elf_segment {
	uint64_t addr;
	uint64_t offset;
	uint64_t len;
	bool is_code;
};

struct elf_file {
	char *path;
	int fd;			/* open for reading; the kernel gets it */
	Elf *elf;
	const char *interp;	/* the loader, or NULL */
	unsigned char build_id[20];
	size_t build_id_len;
	struct elf_segment *segments;
	size_t nr_segments;
	struct elf_sym *syms;	/* functions, by address, aliases side by side */
	size_t nr_syms;
	struct elf_import *imports;	/* by name */
	size_t nr_imports;
	bool is_stripped;	/* only .dynsym was there */
};

/* Opens an ELF file of this machine's kind. Returns 0, or -1 with err set. */
int elf_file_open(struct elf_file *file, const char *path, struct err *err);
void elf_file_close(struct elf_file *file);

/* The file's bytes at an address, len of them in one segment; NULL: not there. */
const uint8_t *elf_file_bytes(const struct elf_file *file, uint64_t addr, size_t len);

/* Is addr code? Then *offset is where it lies in the file. */
bool elf_file_offset(const struct elf_file *file, uint64_t addr, uint64_t *offset);

/*
 * Looks up the imports of user that this file defines, in their version or else
 * the default one; fills found[user->nr_imports] where its name is still NULL.
 */
void elf_file_resolve(const struct elf_file *file, const struct elf_file *user,
		      struct elf_sym *found);

#endif
