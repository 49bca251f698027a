/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMS_H
#define COMMS_H

#include <stddef.h>
#include <stdint.h>

#include "nl/nl.h"

/* What tasks are called, or were: names that a session keeps, by its numbers. */
struct comms {
	char (*all)[17];
	size_t nr;
};

/* Those that have come since the last time. 0 or a negative errno. */
int comms_read(struct comms *comms, struct knl *nl, uint64_t session);
void comms_free(struct comms *comms);

/* NULL: it is not known. */
const char *comms_get(const struct comms *comms, uint32_t nr);

#endif
