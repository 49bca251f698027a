/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CTF_H
#define CTF_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../include/uapi/ktrace.h"
#include "err.h"
#include "names.h"

/* A trace on disk: a folder with one file a CPU, and a text that describes them. */
struct ctf;

/* Makes the folder, which must not exist or be empty. NULL with err set. */
struct ctf *ctf_create(const char *folder, struct err *err);

/* The next packet of a CPU, as it came. Returns 0, or -1 with errno. */
int ctf_packet(struct ctf *ctf, unsigned int cpu, const void *packet, size_t len);

/* Writes the description and closes. Returns 0, or -1 with errno of the first failure. */
int ctf_finish(struct ctf *ctf, uint64_t session, uint64_t cookie,
	       const struct ktrace_clocks *clocks, const struct names *names);

/* The description alone (CTF 1.8, TSDL). */
void ctf_print_metadata(FILE *out, uint64_t session, uint64_t cookie,
			const struct ktrace_clocks *clocks, const struct names *names);

#endif
