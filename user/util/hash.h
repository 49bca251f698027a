/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HASH_H
#define HASH_H

#include "util/mem.h"

/* Tables that grow end the program too when memory is short. */
#define uthash_malloc(len) mem_alloc(len)

#include <uthash.h>

#endif
