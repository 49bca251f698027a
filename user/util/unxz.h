/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UNXZ_H
#define UNXZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Unpacks xz data. The caller frees the result with unxz_free(). Returns NULL with *why set if it
 * cannot be unpacked.
 */
char *unxz(const void *packed, size_t packed_len, size_t *len, const char **why);
void unxz_free(char *image, size_t len);

/* Continues a CRC-32 as in zlib; *crc starts with 0. Returns false without liblzma. */
bool unxz_crc(const void *bytes, size_t len, uint32_t *crc);

#endif
