/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HASH_H
#define HASH_H

#include "util/mem.h"

/* uthash ends the program if memory is short, like mem_alloc(). */
#define uthash_malloc(len) mem_alloc(len)

#include <uthash.h>

#endif
