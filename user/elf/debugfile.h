/* SPDX-License-Identifier: GPL-2.0 */
#ifndef DEBUGFILE_H
#define DEBUGFILE_H

#include "elf/elf.h"

/*
 * The file that a stripped one was parted from: by its build-id below
 * /usr/lib/debug/.build-id, by its .gnu_debuglink beside it, in .debug/, or
 * below /usr/lib/debug. It must be of the same build. true: file->debug is
 * open; else file->refused says what was there but is not the right one.
 */
bool debugfile_find(struct elf_file *file);

/* The same for what .gnu_debugdata holds, an ELF file packed by xz. */
bool debugfile_unpack(struct elf_file *file);

void debugfile_close(struct elf_debug *debug);

#endif
