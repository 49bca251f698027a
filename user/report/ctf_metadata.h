/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CTF_METADATA_H
#define CTF_METADATA_H

#include <stdint.h>
#include <stdio.h>

#include "report/ctf_packet.h"
#include "session/names.h"
#include "uapi/ktrace.h"

/* A trace. */
struct ctf_description {
	uint64_t session, cookie;
	struct ktrace_clocks clocks;
	const char *boot;	/* as in tsdl_print_clock() */
	bool has_one_stream;	/* with the events of all CPUs */
	const struct names *names;
	struct ctf_classes classes;
};

void ctf_print_metadata(FILE *out, const struct ctf_description *trace);

#endif
