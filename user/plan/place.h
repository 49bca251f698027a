/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PLACE_H
#define PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elf.h"
#include "plan/insn.h"
#include "util/err.h"

/* What a user names by FILE:NAME or FILE:+0xOFFSET; FILE and NAME may be patterns. */
struct place {
	char *file;
	const char *name;	/* in the text that was parsed; NULL: an offset */
	uint64_t offset;
};

/* false: the text is neither, but a name, as Worker::step and f[abi:cxx11] are. */
bool place_parse(struct place *place, const char *text);
void place_free(struct place *place);

/* Is that file meant? By its name, its path, or any path to it. */
bool place_is_in(const struct place *place, const struct elf_file *file);

/*
 * The address of an offset, and the function around it or NULL. Fails when
 * there is no code, or another instruction than one that begins there.
 */
int place_find(const struct place *place, struct insn *insn, const struct elf_file *file,
	       uint64_t *addr, const struct elf_sym **sym, struct err *err);

#endif
