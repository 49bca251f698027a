/* SPDX-License-Identifier: GPL-2.0 */
#ifndef QUOTED_H
#define QUOTED_H

#include <stdio.h>

/* Puts text without quotation marks, with a backslash before each of its own and before backslashes. */
void quoted_put(FILE *out, const char *text);

#endif
