/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ORIGIN_H
#define ORIGIN_H

#include <stdint.h>
#include <sys/types.h>

#include "session/trace.h"

struct json_object;

/* The file that a session was attached to, and its options, which later changes use again. */
struct origin {
	const char *path;	/* the path that was opened */
	const char *shown;	/* the path to show, or NULL */
	pid_t pid;		/* a process that runs the file, or 0 */
	uint64_t dev, ino;
	struct trace trace;	/* which functions and libraries, and how */
	const char **words;	/* of the command, with a NULL behind the last; or NULL: unknown */
};

struct json_object *origin_to_json(const struct origin *origin);
/* Texts of the origin point into the document; origin_free() frees its lists. */
void origin_from_json(struct origin *origin, struct json_object *from);
void origin_free(struct origin *origin);

/* Returns the path to show, never NULL. */
const char *origin_name(const struct origin *origin);
/* Returns a path that still opens the same file, or NULL. The caller frees it. */
char *origin_file(const struct origin *origin);
/* Returns true if path is the origin's file. */
bool origin_is_file(const struct origin *origin, const char *path);

#endif
