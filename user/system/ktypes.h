/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KTYPES_H
#define KTYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ktypes_type;
struct ktypes_func;

/* Type information (BTF) of the kernel, or of a module, whose types go on behind the kernel's. */
struct ktypes_part {
	char *data;
	const struct ktypes_type **types;
	size_t nr;
	const char *strings;
	size_t strings_len;
	struct ktypes_func *funcs;	/* by name */
	size_t nr_funcs;
	bool is_whole;
};

/* What kernel functions return, as far as the kernel tells. */
struct ktypes {
	const char *folder;
	struct ktypes_part kernel, module;
	char *module_name;	/* of module; NULL: none yet */
};

/* From a folder like /sys/kernel/btf; what is not there, or not understood, is not known. */
void ktypes_open(struct ktypes *types, const char *folder);
void ktypes_close(struct ktypes *types);

/*
 * Is it known that this function of the kernel ("vfs_read") or of a module ("ext4:ext4_setattr")
 * returns nothing, or what is too small for an errno?
 */
bool ktypes_cannot_fail(struct ktypes *types, const char *symbol);
/* Is it known that it returns a number, which is no address? */
bool ktypes_returns_number(struct ktypes *types, const char *symbol);

#endif
