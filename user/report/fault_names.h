/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FAULT_NAMES_H
#define FAULT_NAMES_H

#include <stdint.h>

/* A kind of page fault, KTRACE_FAULT_*: "write", "major read". */
const char *fault_name(uint32_t kind);

#endif
