// SPDX-License-Identifier: GPL-2.0
#include "util/number.h"

bool number_parse(const char *text, uint64_t max, uint64_t *number)
{
	uint64_t value = 0, digit;

	if (!*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		digit = *text - '0';
		if (digit > max || value > (max - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*number = value;
	return true;
}
