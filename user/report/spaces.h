/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SPACES_H
#define SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <ktrace.h>

#include "system/maps.h"

/*
 * The memory mappings of processes. Read while a process lives, kept until its last stack is named.
 */
#define SPACES_NO_FILE UINT32_MAX

/* A place in a file. */
struct space_place {
	uint32_t file;		/* index of seen, or SPACES_NO_FILE */
	uint64_t offset;
};

struct spaces {
	struct space *all;		/* a hash */
	struct space_file *files;	/* a hash of mapped files */
	uint64_t silent_dev;		/* a file system that did not answer, or 0 */
	size_t most, most_files;	/* processes and files; if there are more, those that are
					 * not needed any more are searched for */
	size_t nr_held;			/* descriptors of files whose symbols were not read */
	bool is_forgetting;
	struct space_seen {	/* the files of all places */
		char *path;
		char build_id[41];	/* hex, or empty */
	} *seen;
	size_t nr_seen;
};

/* Code that a process executed. */
struct code {
	pid_t pid;
	uint64_t addr;
	struct ktrace_place place;	/* where it was mapped from, if the module knows it */
};

/*
 * Reads the mappings of a process, and opens files that no other process had mapped. If it has
 * ended, the mappings that were read last remain.
 */
void spaces_look(struct spaces *spaces, pid_t pid);

/*
 * Called before and after a read of stacks. A process that had ended before the read has no more
 * stacks, so it may be dropped after it, and files that neither a process nor a stack had.
 */
void spaces_begin(struct spaces *spaces);
void spaces_end(struct spaces *spaces);

/*
 * Returns what code belongs to: "function", or "file+0xOFFSET" if there is no symbol, or one of the
 * texts below. The caller frees it.
 */
#define SPACES_UNKNOWN "[unknown]"	/* no code is mapped there */
#define SPACES_GONE "[gone]"		/* the process had ended before its mappings were read */
#define SPACES_JIT "[JIT]"		/* made at run time, and the process names it nowhere */
#define SPACES_VDSO "[vdso]"		/* the kernel's part of each program */
char *spaces_name(struct spaces *spaces, const struct code *code);

/* Returns the place of code. */
struct space_place spaces_place(struct spaces *spaces, const struct code *code);

/* A file may be mapped, and can be opened by its path. The numbers are those of maps. */
void spaces_know(struct spaces *spaces, uint64_t dev, uint64_t inode, const char *path);

void spaces_free(struct spaces *spaces);

#endif
