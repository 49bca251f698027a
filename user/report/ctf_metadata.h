/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CTF_METADATA_H
#define CTF_METADATA_H

#include <stdint.h>
#include <stdio.h>

#include "report/ctf_packet.h"
#include "session/names.h"
#include "uapi/ktrace.h"

/* Prints the description of a trace. */
void ctf_print_metadata(FILE *out, uint64_t session, uint64_t cookie,
			const struct ktrace_clocks *clocks, const struct names *names,
			const struct ctf_classes *classes);

#endif
