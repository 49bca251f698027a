/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIDECAR_H
#define SIDECAR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "plan/plan.h"
#include "session/names.h"
#include "session/origin.h"
#include "util/err.h"

/*
 * What the module does not know of a named session: names of functions, files
 * and build-ids, kept in /run/ktrace/NAME (root only) beside the session's
 * cookie, so that any later command can name what it reads.
 */
int sidecar_write(const char *name, uint64_t cookie, const struct plan *plan,
		  const struct origin *origin, struct err *err);

/*
 * All of it, for a command that changes the session. NULL: the file is missing or of another
 * session.
 */
struct sidecar;
struct sidecar *sidecar_open(const char *name, uint64_t cookie);
void sidecar_close(struct sidecar *sidecar);

/* How the session was attached; texts are the sidecar's. origin_free() in any case. */
void sidecar_origin(const struct sidecar *sidecar, struct origin *origin);

/* A file that has functions, or where tasks are held. */
struct sidecar_file {
	const char *path;
	uint64_t dev, ino;
	bool is_own;		/* its own functions were chosen, not only calls into it */
	bool is_hold;
};

typedef void (*sidecar_file_fn)(void *arg, const struct sidecar_file *file);
/* Files of the functions below nr_funcs. */
void sidecar_each_file(const struct sidecar *sidecar, uint32_t nr_funcs, sidecar_file_fn fn,
		       void *arg);

/* A function's name by its number, or NULL. */
const char *sidecar_name(const struct sidecar *sidecar, uint32_t func);
/* The number, below nr_funcs, of a function at that place of the file, or -1. */
int64_t sidecar_find(const struct sidecar *sidecar, uint32_t nr_funcs,
		     const struct elf_file *file, uint64_t offset);

/* Writes the file again, with a plan's functions from number first on. */
int sidecar_append(const struct sidecar *sidecar, const struct plan *plan, uint32_t first,
		   struct err *err);

/*
 * Fills the names of a session with nr_funcs functions. Where the file is missing or of another
 * session, functions have no names, and false is returned.
 */
int sidecar_read(const char *name, uint64_t cookie, uint32_t nr_funcs, struct names *names);

/* Unless it is of another session. */
void sidecar_remove(const char *name, uint64_t cookie);

#endif
