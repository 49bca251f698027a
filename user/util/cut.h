/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CUT_H
#define CUT_H

#include <stddef.h>

/*
 * Cuts the name of a function to a number of columns. The function's own name stays longest: first
 * its parameters and its type are left out, then template arguments, then outer namespaces, the
 * outermost first. The caller frees it.
 */
char *cut_name(const char *name, size_t columns);

#endif
