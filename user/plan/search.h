/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SEARCH_H
#define SEARCH_H

#include "elf/elf.h"
#include "plan/libs.h"
#include "util/err.h"

/*
 * Adds the libraries of a program, each once, in the order of glibc's loader in this environment.
 * It only reads files: neither the program nor its loader runs. Returns 0, or -1 with err set if
 * the files name too many others.
 */
int search_libs(const struct elf_file *file, struct libs *libs, struct err *err);

#endif
