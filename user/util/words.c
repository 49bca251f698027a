// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "util/words.h"

int words_find(const char *words, const char *word)
{
	size_t len = strlen(word), n;
	int nr = 0;

	for (; *words; words += n + (words[n] == '|'), nr++) {
		n = strcspn(words, "|");
		if (n == len && !memcmp(words, word, n))
			return nr;
	}
	return -1;
}
