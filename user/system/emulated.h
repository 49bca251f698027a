/* SPDX-License-Identifier: GPL-2.0 */
#ifndef EMULATED_H
#define EMULATED_H

#include <stdbool.h>

/* Returns true if QEMU emulates this processor: costs of instructions are then not realistic. */
bool is_emulated(void);

#endif
