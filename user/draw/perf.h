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
#define PERF_KERNEL (UINT32_MAX - 1)

struct perf_file {
	const char *path;
	const char *build_id;	/* hex, or NULL */
};

/* A function, by its place. */
struct perf_place {
	uint32_t file;		/* PERF_NO_FILE: it is left out of paths; or PERF_KERNEL */
	uint64_t offset;	/* of PERF_KERNEL: its address */
};

/* Begins the file of one process. end_ns: the time of all samples. */
struct perf *perf_create(FILE *out, uint32_t pid, const char *comm, uint64_t end_ns);
/* Files are numbered in the order of these calls, before any path. */
void perf_file(struct perf *perf, const struct perf_file *file);
/* Where the kernel's functions are, before paths with places in it. end 0: not known. */
void perf_kernel(struct perf *perf, uint64_t start, uint64_t end);
/* Adds a process with the same files, and returns its number. The following paths belong to it. */
uint32_t perf_task(struct perf *perf, const char *comm);
/* The following paths belong to a process that was added before. */
void perf_choose(struct perf *perf, uint32_t task);
/* path[0] is the outermost function, path[nr - 1] the innermost. */
void perf_path(struct perf *perf, const struct perf_place *path, size_t nr, uint64_t self_ns);
/* Writes the file, and frees perf. Returns how much time had no function with a file. */
uint64_t perf_end(struct perf *perf);

#endif
