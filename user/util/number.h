/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reads a number that is decimal digits and nothing else: no sign, no space. Returns false and
 * leaves *number as it was if text is anything else, or a number above max.
 */
bool number_parse(const char *text, uint64_t max, uint64_t *number);

#endif
