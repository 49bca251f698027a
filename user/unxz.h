/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UNXZ_H
#define UNXZ_H

#include <stddef.h>

/* What xz has packed, to be freed; NULL and why: it cannot be had. */
char *unxz(const void *packed, size_t packed_len, size_t *len, const char **why);

#endif
