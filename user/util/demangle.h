/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KTRACE_DEMANGLE_H	/* libiberty uses DEMANGLE_H */
#define KTRACE_DEMANGLE_H

#include <stddef.h>

/*
 * Returns the name as written in the source, with parameters if the symbol has them. The caller
 * frees it. Returns the symbol itself if it is no such name, or if its name is too long or takes
 * too much CPU time.
 */
char *demangle(const char *symbol);

/* Returns how many symbols were not demangled because this takes too much CPU time. */
size_t demangle_nr_given_up(void);

/*
 * demangle_base_len() returns the length of "ns::run" in "ns::run(int) const", or of "run" in
 * "run [file.c]". demangle_base() returns a copy of this part, which the caller frees.
 */
size_t demangle_base_len(const char *name);
char *demangle_base(const char *name);

/*
 * Returns the length of "operator" with its letters at a place of a name, or of a list of names, or
 * 0. These letters are no brackets, and do not separate names.
 */
size_t demangle_operator_len(const char *name, const char *at);

#endif
