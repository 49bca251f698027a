/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KTRACE_DEMANGLE_H	/* the other name is libiberty's */
#define KTRACE_DEMANGLE_H

#include <stddef.h>

/* The name as its author wrote it, with parameters if the symbol has them; to be freed. */
char *demangle(const char *symbol);

/* How much of "ns::run(int) const" is "ns::run"; a copy of that, to be freed. */
size_t demangle_base_len(const char *name);
char *demangle_base(const char *name);

#endif
