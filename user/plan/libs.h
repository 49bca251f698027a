/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LIBS_H
#define LIBS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "elf/elf.h"

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

/* Adds a library; takes ownership of fd and file. st identifies the file. */
void libs_add(struct libs *libs, int fd, const struct stat *st, char *file, const char *name);
void libs_free(struct libs *libs);

/*
 * Adds the libraries of a process that runs the program file, each once: those in the loader's
 * list, in its order, then the other files with mapped code.
 */
void libs_of_process(const struct elf_file *file, pid_t pid, struct libs *libs);

#endif
