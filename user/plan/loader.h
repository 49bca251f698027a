/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOADER_H
#define LOADER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "elf/elf.h"

/* The loader calls this function for debuggers, before and after it maps or unmaps libraries. */
#define LOADER_HOOK "_dl_debug_state"

/*
 * Both return a path that opens a loader; the caller frees it. They return NULL if the program has
 * no loader or the process is gone.
 */
char *loader_of_program(const char *program);	/* the loader that the program names */
char *loader_of_process(pid_t pid);		/* the file that the process has mapped */

/* Finds the file offset of the hook. Returns false if the loader has no such symbol. */
bool loader_find_hook(const struct elf_file *loader, uint64_t *offset);

#endif
