/* SPDX-License-Identifier: GPL-2.0 */
#ifndef REMARKS_H
#define REMARKS_H

#include <stddef.h>

#define REMARKS_KEPT 20

/* Sentences to show later. The last REMARKS_KEPT are kept, earlier ones are only counted. */
struct remarks {
	char *texts[REMARKS_KEPT];
	size_t nr;
};

/* Adds a text, which remarks_free() frees. */
void remarks_add(struct remarks *remarks, char *text);
/* Returns the text with this number (from 0 on), or NULL if it was dropped or does not exist. */
const char *remarks_get(const struct remarks *remarks, size_t nr);
void remarks_free(struct remarks *remarks);

#endif
