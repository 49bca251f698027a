/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A perf.data file, for perf report, perf script and the programs that read it. Each path of calls is
 * a sample whose period is the own time of the path, in ns. perf finds the names of functions in the
 * files, which it looks up by their build-ids.
 */
#ifndef PERF_H
#define PERF_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct perf;

#define PERF_NO_FILE UINT32_MAX

struct perf_file {
	const char *path;
	const char *build_id;	/* hex, or NULL */
};

/* A function, by its place. */
struct perf_place {
	uint32_t file;		/* or PERF_NO_FILE: it is left out of paths */
	uint64_t offset;
};

/* Begins the file of one process. end_ns: the time of all samples. */
struct perf *perf_create(FILE *out, uint32_t pid, const char *comm, uint64_t end_ns);
/* Files are numbered in the order of these calls, before any path. */
void perf_file(struct perf *perf, const struct perf_file *file);
/* path[0] is the outermost function, path[nr - 1] the innermost. */
void perf_path(struct perf *perf, const struct perf_place *path, size_t nr, uint64_t self_ns);
/* Writes the file, and frees perf. Returns how much time had no function with a file. */
uint64_t perf_end(struct perf *perf);

#endif
