/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KTYPES_H
#define KTYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ktypes_type;
struct ktypes_func;

/* Type information (BTF) of the kernel or of a module. A module's numbers follow the kernel's. */
struct ktypes_part {
	char *data;
	const struct ktypes_type **types;
	size_t nr;
	const char *strings;
	size_t strings_len;
	struct ktypes_func *funcs;	/* sorted by name */
	size_t nr_funcs;
	bool is_whole;		/* all its types were read */
};

/* What kernel functions return. */
struct ktypes {
	const char *folder;
	struct ktypes_part kernel, module;
	char *module_name;	/* name of the module in "module"; NULL: none yet */
};

/* Reads a folder like /sys/kernel/btf. Types in missing or malformed files stay unknown. */
void ktypes_open(struct ktypes *types, const char *folder);
void ktypes_close(struct ktypes *types);

/*
 * Returns true if this function of the kernel ("vfs_read") or of a module ("ext4:ext4_setattr") is
 * known to return nothing, or a type that is too small for an errno.
 */
bool ktypes_cannot_fail(struct ktypes *types, const char *symbol);
/* Returns true if the function is known to return a number, not an address. */
bool ktypes_returns_number(struct ktypes *types, const char *symbol);

#endif
