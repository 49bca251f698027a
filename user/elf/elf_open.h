/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ELF_OPEN_H
#define ELF_OPEN_H

#include <libelf.h>

/*
 * Opens an ELF file for libelf, which then reads each section by pread(2) when it is asked for:
 * a file that is truncated meanwhile is a read error, and no signal. Refused is a file whose
 * tables claim more than it has, since reading them would cost more memory than it takes on its
 * disk. Returns NULL with *why set, a clause. Takes no hold of fd, which stays open for as long.
 */
Elf *elf_open(int fd, const char **why);

#endif
