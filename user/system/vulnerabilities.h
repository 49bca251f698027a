/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VULNERABILITIES_H
#define VULNERABILITIES_H

#include <stdbool.h>
#include <stddef.h>

/* What the kernel says of a weakness of this processor, and does about it. */
struct vulnerability {
	char name[40];
	char text[256];
};

struct vulnerabilities {
	struct vulnerability *all;	/* by name */
	size_t nr;
};

/* None: the kernel does not tell. */
void vulnerabilities_read(struct vulnerabilities *found);
void vulnerabilities_free(struct vulnerabilities *found);

/* Nothing is done about it, and need not be. */
bool vulnerability_is_none(const struct vulnerability *vulnerability);

#endif
