/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LIBS_H
#define LIBS_H

#include <stddef.h>
#include <sys/types.h>

#include "elf.h"

struct lib {
	char *file;	/* to be opened: the one that the process has */
	char *name;	/* as the loader calls it */
};

/*
 * The libraries of a program, in the order in which the loader searches them:
 * of a process that runs it when pid is not 0, as that process sees them, else
 * as its loader would choose in this environment (it is asked with --list,
 * which runs nothing of the program). Returns how many; a file may come twice.
 */
size_t libs_of(const struct elf_file *file, pid_t pid, struct lib **libs);
void libs_free(struct lib *libs, size_t nr);

#endif
