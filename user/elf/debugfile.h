/* SPDX-License-Identifier: GPL-2.0 */
#ifndef DEBUGFILE_H
#define DEBUGFILE_H

#include "elf/elf.h"

/*
 * Finds the debug file of a stripped file: by its build-id below /usr/lib/debug/.build-id, or by
 * its .gnu_debuglink in the folder of the file, in .debug/ there, or below /usr/lib/debug. The
 * debug file must have the same build-id or checksum. Returns true and opens file->debug. If only
 * wrong files exist, file->refused names the first one with the reason.
 */
bool debugfile_find(struct elf_file *file);

/* Opens the ELF file in .gnu_debugdata, which is compressed by xz, as file->debug. */
bool debugfile_unpack(struct elf_file *file);

void debugfile_close(struct elf_debug *debug);

#endif
