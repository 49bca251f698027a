/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UNXZ_H
#define UNXZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What xz has packed, to be freed; NULL and why: it cannot be had. */
char *unxz(const void *packed, size_t packed_len, size_t *len, const char **why);

/* Goes on with a CRC-32, as zlib's, that begins with 0. false: there is no liblzma. */
bool unxz_crc(const void *bytes, size_t len, uint32_t *crc);

#endif
