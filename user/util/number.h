/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Parses a decimal number. Returns false and leaves *number unchanged if text contains anything
 * other than digits (signs and blanks included), or if the number is above max.
 */
bool number_parse(const char *text, uint64_t max, uint64_t *number);

#endif
