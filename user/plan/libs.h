/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LIBS_H
#define LIBS_H

#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "elf/elf.h"
#include "util/err.h"

struct lib {
	int fd;		/* open for reading; -1: there was no descriptor for it */
	dev_t dev;
	ino_t ino;
	char *file;	/* a path of this process to it */
	char *name;	/* as the loader calls it */
};

struct libs {
	struct lib *all;
	size_t nr;
};

/*
 * The libraries of a program, in the order in which the loader searches them:
 * of a process that runs it when pid is not 0, as that process sees them, else
 * as its loader would choose in this environment. Returns 0, or -1 with err
 * set; libs_free() in either case. A file comes once.
 */
int libs_of(const struct elf_file *file, pid_t pid, struct libs *libs, struct err *err);
void libs_free(struct libs *libs);

/* Takes fd and file; st says which file it is. */
void libs_add(struct libs *libs, int fd, const struct stat *st, char *file, const char *name);

#endif
