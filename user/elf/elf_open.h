/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ELF_OPEN_H
#define ELF_OPEN_H

#include <libelf.h>

/*
 * Opens an ELF file for libelf, which reads each section by pread(2) when it is first used. So a
 * file that is truncated meanwhile causes a read error, not a signal. Refuses a file whose sections
 * or segments claim far more bytes than it has, because reading these would take too much memory.
 * Returns NULL with *why set to a clause. The caller keeps fd open until elf_end(), and closes it.
 */
Elf *elf_open(int fd, const char **why);

#endif
