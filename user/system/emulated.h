/* SPDX-License-Identifier: GPL-2.0 */
#ifndef EMULATED_H
#define EMULATED_H

#include <stdbool.h>

/* Is this processor QEMU's emulation? Then what instructions cost is another matter. */
bool is_emulated(void);

#endif
