/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SEGMENTS_H
#define SEGMENTS_H

#include "elf/elf.h"

/* Reads the segments of an ELF file and the path of its loader. Returns 0, or -1 with err set. */
int segments_read(struct elf_file *file, struct err *err);
void segments_free(struct elf_file *file);

#endif
