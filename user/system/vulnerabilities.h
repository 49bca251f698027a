/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VULNERABILITIES_H
#define VULNERABILITIES_H

#include <stdbool.h>
#include <stddef.h>

/* A vulnerability of this processor, and the kernel's text about it and its mitigation. */
struct vulnerability {
	char name[40];
	char text[256];
};

struct vulnerabilities {
	struct vulnerability *all;	/* by name */
	size_t nr;
};

/* Finds nothing if the kernel does not report vulnerabilities. */
void vulnerabilities_read(struct vulnerabilities *found);
void vulnerabilities_free(struct vulnerabilities *found);

/* Returns true if the processor is not affected, so that there is no mitigation. */
bool vulnerability_is_none(const struct vulnerability *vulnerability);

#endif
