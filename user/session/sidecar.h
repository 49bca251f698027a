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
 * The sidecar of a named session has what the module does not keep: the words of the command that
 * began it, names of functions, files and build-ids. It is the file /run/ktrace/NAME, which only root can read, and has the session's
 * cookie, too. Later commands take from it the names of what they read.
 *
 * sidecar_write() writes it for a new session. Returns 0, or -1 with err set.
 */
int sidecar_write(const char *name, uint64_t cookie, const struct plan *plan,
		  const struct origin *origin, struct err *err);

/*
 * Writes the sidecar of a session of another provider. names: of kernel functions, or NULL. Returns
 * 0, or -1 with err set.
 */
int sidecar_write_kernel(const char *name, uint64_t cookie, const struct names *names,
			 const struct origin *origin, struct err *err);

/*
 * A sidecar in memory, for a command that changes the session. sidecar_open() returns NULL if the
 * file is missing or belongs to another session.
 */
struct sidecar;
struct sidecar *sidecar_open(const char *name, uint64_t cookie);
void sidecar_close(struct sidecar *sidecar);

/*
 * Reads the file and the options that the session was attached with. Texts of the origin point
 * into the sidecar. The caller calls origin_free().
 */
void sidecar_origin(const struct sidecar *sidecar, struct origin *origin);

/* A file with probed functions, or a loader that holds tasks. */
struct sidecar_file {
	const char *path;
	uint64_t dev, ino;
	bool is_own;		/* functions inside the file were chosen, not only calls into it */
	bool is_hold;		/* its hook holds tasks */
};

typedef void (*sidecar_file_fn)(void *arg, const struct sidecar_file *file);
/* Calls fn once for each file of the functions with numbers below nr_funcs. */
void sidecar_each_file(const struct sidecar *sidecar, uint32_t nr_funcs, sidecar_file_fn fn,
		       void *arg);

/* Returns the name of a function, or NULL. */
const char *sidecar_name(const struct sidecar *sidecar, uint32_t func);
/* Returns the number, below nr_funcs, of the function at this offset in the file, or -1. */
int64_t sidecar_find(struct sidecar *sidecar, uint32_t nr_funcs, const struct elf_file *file,
		     uint64_t offset);

/*
 * Replaces the file: functions below number first stay, the plan's functions follow. Returns 0, or
 * -1 with err set; the file is then unchanged.
 */
int sidecar_append(const struct sidecar *sidecar, const struct plan *plan, uint32_t first,
		   struct err *err);

/*
 * Fills the names of a session with nr_funcs functions. Returns false, and leaves all functions
 * without names, if the file is missing or belongs to another session.
 */
int sidecar_read(const char *name, uint64_t cookie, uint32_t nr_funcs, struct names *names);

/* Removes the file unless it belongs to another session. */
void sidecar_remove(const char *name, uint64_t cookie);

#endif
