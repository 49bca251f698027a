/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RAW_METADATA_H
#define RAW_METADATA_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "client/client.h"
#include "session/names.h"

/* A trace that consists of the packets of a session, as the module made them. */
struct raw_trace {
	const struct ktr_session *session;
	struct ktrace_clocks clocks;	/* the same for all traces of a recording */
	const char *boot;		/* the ID of the boot */
	const struct names *names;	/* of the functions; or NULL */
};

/*
 * Prints its description: CTF 1.8, of the records of uapi/ktrace_record.h. It describes all records
 * that can come, whatever names are known.
 */
void raw_metadata_print(FILE *out, const struct raw_trace *trace);

/* Returns true if the description of this provider's traces fits a record: its kind and its payload. */
bool raw_metadata_has(uint32_t provider, const struct ktrace_record *record);

/*
 * Writes it into the folder of the trace. What was there is replaced at once, or not at all. Returns 0
 * or a negative errno.
 */
int raw_metadata_write(int folder, const struct raw_trace *trace);

#endif
