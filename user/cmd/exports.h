/* SPDX-License-Identifier: GPL-2.0 */
/* Exports of a recording that are neither a document nor paths: single calls, and perf's samples. */
#ifndef EXPORTS_H
#define EXPORTS_H

#include <stdio.h>

#include "cmd/kept.h"
#include "keep/measured.h"

struct stacks;
struct table;

/* Writes a perf.data file, and reports what it lacks. */
void export_perf(FILE *out, const struct measured *measured);
/*
 * Writes a perf.data file of samples (stack_table.h), and reports what it lacks. stacks: with places.
 */
void export_perf_samples(FILE *out, const struct table *rows, const struct stacks *stacks,
			 uint64_t end_ns);
/*
 * Writes single events for chrome://tracing and Perfetto, in two passes: the first one finds which
 * events fit. measuring then has what was read. *is_cut: some did not fit. Returns 0, or -1 with err
 * set.
 */
int export_chrome(FILE *out, const struct kept *kept, uint64_t max_size,
		  struct measuring *measuring, bool *is_cut, struct err *err);

/*
 * Writes a trace in CTF 1.8 into a folder. is_forced: replaces the trace that is there. measuring then
 * has what was read. Returns 0, or -1 with err set.
 */
int export_ctf(const struct kept *kept, const char *path, bool is_forced,
	       struct measuring *measuring, struct err *err);

#endif
