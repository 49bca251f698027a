/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ORIGIN_H
#define ORIGIN_H

#include <stdint.h>
#include <sys/types.h>

#include "session/trace.h"

struct json_object;

/* The file that a session was attached to, and its options: later changes use the same ones. */
struct origin {
	const char *path;	/* the path that it was opened by */
	const char *shown;	/* the path to show, or NULL */
	pid_t pid;		/* a process that has it, or 0 */
	uint64_t dev, ino;
	struct trace trace;	/* which functions and libraries, and how */
};

struct json_object *origin_to_json(const struct origin *origin);
/* Texts stay in the document, lists are the origin's own. */
void origin_from_json(struct origin *origin, struct json_object *from);
void origin_free(struct origin *origin);

/* The path to show, never NULL. */
const char *origin_name(const struct origin *origin);
/* A path that opens the same file now; to be freed. NULL: there is none. */
char *origin_file(const struct origin *origin);
/* Is it the same file? */
bool origin_is_file(const struct origin *origin, const char *path);

#endif
