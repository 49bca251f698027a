/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NAMES_H
#define NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "nl.h"

/* What the functions of a session are called, by number. */
struct names {
	char **texts;
	size_t nr;
};

const char *names_get(const struct names *names, uint32_t func);	/* never NULL */
/* "BUILD-ID+0xOFFSET" for those that have no name, if the module knows of them. */
int names_fill(struct names *names, struct knl *nl, uint64_t session, uint32_t flags);
void names_free(struct names *names);

#endif
