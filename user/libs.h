/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LIBS_H
#define LIBS_H

#include <stddef.h>
#include <sys/types.h>

#include "elf.h"

/*
 * The libraries of a program, in the order in which the loader searches them:
 * of a process that runs it when pid is not 0, else as its loader would choose
 * in this environment (it is asked with --list, which runs nothing of the
 * program). Fills paths (each to be freed, the array too); returns how many.
 */
size_t libs_of(const struct elf_file *file, pid_t pid, char ***paths);

#endif
