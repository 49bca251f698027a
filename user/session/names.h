/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NAMES_H
#define NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/client.h"
#include "plan/plan.h"
#include "plan/value.h"

/* A file with functions. */
struct names_file {
	char *path;
	char build_id[2 * KTRACE_BUILD_ID_LEN + 1];	/* "": it has none */
	uint64_t dev, ino;
};

/* Where a user function is. */
struct names_place {
	size_t file;
	uint64_t offset;	/* of its entry */
};

/* Names of a session's functions, by number. */
struct names {
	char **texts;
	struct value_formats *formats;	/* of the functions' values; NULL: unknown */
	bool *are_fallible;	/* kernel functions that return errors; NULL: unknown */
	size_t nr;
	size_t nr_changes;	/* how often names were added */
	bool has_places;	/* names_add() keeps the places, too */
	struct names_place *places;	/* by number of the function */
	struct names_file *files;
	size_t nr_files;
};

const char *names_get(const struct names *names, uint32_t func);	/* never NULL */
const struct value_formats *names_formats(const struct names *names, uint32_t func); /* or NULL */
/* Returns true if a kernel function is known to return errors. */
static inline bool names_is_fallible(const struct names *names, uint32_t func)
{
	return func < names->nr && names->are_fallible && names->are_fallible[func];
}

/*
 * Names functions without a name "[BUILD-ID+0xOFFSET]", as the module reports them. flags:
 * KTRACE_READ_*. Returns 0 or a negative errno.
 */
int names_fill(struct names *names, struct ktr *ktr, uint64_t session, uint32_t flags);
/* Adds the names of a plan; first is the number of its first function. */
void names_add(struct names *names, const struct plan *plan, uint32_t first);
void names_free(struct names *names);

#endif
