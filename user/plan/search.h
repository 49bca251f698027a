/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SEARCH_H
#define SEARCH_H

#include <stdbool.h>

#include "elf/elf.h"
#include "plan/libs.h"
#include "util/err.h"

/*
 * Looks for the libraries of a program as glibc's loader would, by reading
 * alone: neither the program nor its loader is run. In the loader's order;
 * returns 0, or -1 with err set where a made-up file names too much.
 */
int search_libs(const struct elf_file *file, struct libs *libs, struct err *err);

#endif
