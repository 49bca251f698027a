/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOADER_H
#define LOADER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "elf.h"

/* The loader calls it before and after it changes what is mapped; a debugger would stop there. */
#define LOADER_HOOK "_dl_debug_state"

/*
 * By what the loader of a program is opened, as the process that runs it or, where pid is 0,
 * this one finds it; to be freed. NULL: it has none, or the process is gone.
 */
char *loader_of(const char *program, pid_t pid);

/* Where its hook is in the file. */
bool loader_find_hook(const struct elf_file *loader, uint64_t *offset);

#endif
