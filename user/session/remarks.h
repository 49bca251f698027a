/* SPDX-License-Identifier: GPL-2.0 */
#ifndef REMARKS_H
#define REMARKS_H

#include <stddef.h>

#define REMARKS_KEPT 20

/* Sentences that are shown later: the last ones are kept, the others only counted. */
struct remarks {
	char *texts[REMARKS_KEPT];
	size_t nr;
};

/* Takes the text over. */
void remarks_add(struct remarks *remarks, char *text);
/* By number, from 0 on. Returns NULL if it was dropped, or there is none of that number. */
const char *remarks_get(const struct remarks *remarks, size_t nr);
void remarks_free(struct remarks *remarks);

#endif
