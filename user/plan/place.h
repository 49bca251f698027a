/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PLACE_H
#define PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elf.h"
#include "plan/insn.h"
#include "util/err.h"

/* A place in a file, from FILE:NAME or FILE:+0xOFFSET. FILE and NAME may be patterns. */
struct place {
	char *file;
	const char *name;	/* points into the parsed text; NULL: offset is valid */
	uint64_t offset;
};

/* Returns false if the text is a plain name, like Worker::step or f[abi:cxx11]. */
bool place_parse(struct place *place, const char *text);
void place_free(struct place *place);

/* Returns true if FILE matches the file's name, or is a path to the file. */
bool place_is_in(const struct place *place, const struct elf_file *file);

/*
 * Finds the address of the place's offset, and the function around it; sym is NULL if there is no
 * function. Returns 0, or -1 with err set if no instruction begins at the offset.
 */
int place_find(const struct place *place, struct insn *insn, const struct elf_file *file,
	       uint64_t *addr, const struct elf_sym **sym, struct err *err);

#endif
