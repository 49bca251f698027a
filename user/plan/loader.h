/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOADER_H
#define LOADER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "elf/elf.h"

/* The loader calls it before and after it changes what is mapped; a debugger would stop there. */
#define LOADER_HOOK "_dl_debug_state"

/* By what a loader is opened; to be freed. NULL: there is none, or the process is gone. */
char *loader_of_program(const char *program);	/* as this process would find it */
char *loader_of_process(pid_t pid);		/* the very one that it has */

/* Where its hook is in the file. */
bool loader_find_hook(const struct elf_file *loader, uint64_t *offset);

#endif
