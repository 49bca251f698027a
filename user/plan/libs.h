/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LIBS_H
#define LIBS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "elf/elf.h"
#include "util/err.h"

struct lib {
	int fd;		/* open for reading; -1: no descriptor was left, or is_silent */
	bool is_silent;	/* the server of its file system does not answer */
	dev_t dev;
	ino_t ino;
	char *file;	/* a path that this process can open */
	char *name;	/* the path or name that the loader uses */
};

struct libs {
	struct lib *all;
	size_t nr;
};

/*
 * Lists the libraries of a program, each once, in the order in which the loader searches them. If
 * pid is not 0, these are the libraries of that process, which runs the program; otherwise those
 * that the loader would choose in this environment. Returns 0, or -1 with err set. The caller calls
 * libs_free() in either case.
 */
int libs_of(const struct elf_file *file, pid_t pid, struct libs *libs, struct err *err);
void libs_free(struct libs *libs);

/* Adds a library; takes ownership of fd and file. st identifies the file. */
void libs_add(struct libs *libs, int fd, const struct stat *st, char *file, const char *name);

#endif
