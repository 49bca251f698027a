/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ELF_H
#define ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libelf.h>

#include "util/err.h"

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
	bool is_writable;
	bool is_read;
	uint8_t *bytes;		/* NULL: they are not read yet, or cannot be */
};

/* What a stripped file was parted from: it lends symbols only, no code. */
struct elf_debug {
	Elf *elf;		/* NULL: there is none */
	char *path;		/* of a file, or NULL */
	int fd;			/* of that, or -1 */
	char *image;		/* unpacked from the file itself, or NULL */
};

struct elf_file {
	char *path;
	int fd;			/* open for reading; the kernel gets it */
	uint64_t len;		/* when it was opened */
	Elf *elf;
	struct elf_debug debug;
	char *source;		/* where its symbols were found, in words */
	char *refused;		/* where they were not, and why; or NULL */
	char *interp;		/* the loader, or NULL */
	unsigned char build_id[20];
	size_t build_id_len;
	struct elf_segment *segments;	/* by address */
	size_t nr_segments;
	struct elf_sym *syms;	/* functions, by address, aliases side by side */
	size_t nr_syms;
	struct elf_import *imports;	/* by name */
	size_t nr_imports;
	bool is_go;		/* made by Go's own compiler, for its own stacks */
};

/* Opens an ELF file of this machine's kind. Returns 0, or -1 with err set. */
int elf_file_open(struct elf_file *file, const char *path, struct err *err);
/* The same for one that is open for reading already; takes fd in any case. */
int elf_file_take(struct elf_file *file, int fd, const char *path, struct err *err);
void elf_file_close(struct elf_file *file);

/* Is it what that path leads to, by whatever name? */
bool elf_file_is(const struct elf_file *file, const char *path);

/*
 * The file's bytes at an address, len of them in one segment, which is read when the first of
 * its bytes are asked for. They live as long as the file is open. NULL: they are not there, or
 * cannot be read any more.
 */
const uint8_t *elf_file_bytes(const struct elf_file *file, uint64_t addr, size_t len);

/* Is addr code? Then *offset is where it lies in the file. */
bool elf_file_offset(const struct elf_file *file, uint64_t addr, uint64_t *offset);

/* The other way round: is there code at that offset? */
bool elf_file_addr(const struct elf_file *file, uint64_t offset, uint64_t *addr);

/* The function that holds an address, or NULL. */
const struct elf_sym *elf_file_sym_at(const struct elf_file *file, uint64_t addr);

#endif
