/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NAMES_H
#define NAMES_H

#include <stddef.h>
#include <stdint.h>

/* What the functions of a session are called, by number. */
struct names {
	char **texts;
	size_t nr;
};

const char *names_get(const struct names *names, uint32_t func);	/* never NULL */
void names_free(struct names *names);

#endif
