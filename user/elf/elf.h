/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ELF_H
#define ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libelf.h>

#include "util/err.h"

/* Strings are valid until the file is closed. Addresses are those of the file. */
struct elf_sym {
	const char *name;
	const char *source;	/* the source file of a local function, or NULL */
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
	uint8_t *bytes;		/* NULL: not read yet, or unreadable */
};

/* The debug file of a stripped file. Only its symbols are used. */
struct elf_debug {
	Elf *elf;		/* NULL: no debug file */
	char *path;		/* the path of the debug file, or NULL */
	int fd;			/* the debug file, or -1 */
	char *image;		/* the contents of .gnu_debugdata, or NULL */
	size_t image_len;
};

struct elf_file {
	char *path;
	int fd;			/* open for reading; it is passed to the kernel, too */
	uint64_t len;		/* length in bytes when it was opened */
	Elf *elf;
	struct elf_debug debug;
	char *source;		/* text: where its symbols were found */
	char *refused;		/* text: symbols that were not used, and why; or NULL */
	char *interp;		/* path of the loader, or NULL */
	unsigned char build_id[20];
	size_t build_id_len;
	struct elf_segment *segments;	/* by address */
	size_t nr_segments;
	struct elf_sym *syms;	/* functions, by address, aliases side by side */
	size_t nr_syms;
	struct elf_import *imports;	/* by name */
	size_t nr_imports;
	bool is_go;		/* built by the Go compiler, with Go's movable stacks */
	bool is_tsan;		/* built with ThreadSanitizer, whose runtime is a library */
	bool has_tsan;		/* it contains this runtime itself */
};

/* Opens an ELF file for x86-64. Returns 0, or -1 with err set. */
int elf_file_open(struct elf_file *file, const char *path, struct err *err);
/* Opens a file from a descriptor for reading, and takes ownership of fd in any case. */
int elf_file_take(struct elf_file *file, int fd, const char *path, struct err *err);
/* The same without symbols and build-id: for a file whose code and sections are enough. */
int elf_file_take_code(struct elf_file *file, int fd, const char *path, struct err *err);
void elf_file_close(struct elf_file *file);

/* Returns true if path leads to the file. */
bool elf_file_is(const struct elf_file *file, const char *path);

/*
 * Returns len bytes of the file at an address. The first call for a segment reads the whole
 * segment. The bytes are valid until the file is closed. Returns NULL if they are not in one
 * segment, or cannot be read.
 */
const uint8_t *elf_file_bytes(const struct elf_file *file, uint64_t addr, size_t len);

/* Converts the address of code to a file offset. Returns false if there is no code at addr. */
bool elf_file_offset(const struct elf_file *file, uint64_t addr, uint64_t *offset);

/* Returns true if the program may write to its code at addr. Kernels place no probe there. */
bool elf_file_is_writable(const struct elf_file *file, uint64_t addr);

/* Converts a file offset to an address. Returns false if there is no code at the offset. */
bool elf_file_addr(const struct elf_file *file, uint64_t offset, uint64_t *addr);

/* Returns the first function that begins behind an address, or the end of file->syms. */
const struct elf_sym *elf_file_sym_behind(const struct elf_file *file, uint64_t addr);

/* Returns the function that contains an address, or NULL. */
const struct elf_sym *elf_file_sym_at(const struct elf_file *file, uint64_t addr);

#endif
