/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of code that a process has made at run time. Runtimes write them to /tmp/perf-PID.map, one
 * line per function: "START SIZE NAME", numbers in hex. PID is the one that the process sees, and
 * /tmp is its own.
 */
#ifndef JIT_MAP_H
#define JIT_MAP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define JIT_MAP_BYTES (64UL << 20)	/* that are read for one process */
#define JIT_MAP_LINES (1UL << 19)	/* that are kept */

struct jit_map {
	struct jit_code {
		uint64_t start, end;
		size_t nr;		/* of the line: later ones replace earlier ones */
		char *name;
	} *all;			/* in order of address, then of lines */
	size_t nr;
	uint64_t dev, inode;	/* of the file */
	uint64_t read_to;	/* in the file */
	size_t nr_bytes;	/* read so far, of all files */
	size_t nr_lines;
};

/*
 * Reads the lines that are new since the last call. The file must be a regular one that belongs to
 * the user of the process or to root, without other links to it, and not on a server. Otherwise, or
 * if the process has ended, nothing changes.
 */
void jit_map_read(struct jit_map *map, pid_t pid);
/* The same with an open file, which is checked. uid: the user of the process. */
void jit_map_take(struct jit_map *map, int fd, uid_t uid);
void jit_map_free(struct jit_map *map);

/* Returns NULL if no line contains the address. The name is as in the file. */
const char *jit_map_name(const struct jit_map *map, uint64_t addr);

#endif
