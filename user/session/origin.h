/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ORIGIN_H
#define ORIGIN_H

#include <stdint.h>
#include <sys/types.h>

#include "session/trace.h"

struct json_object;

/* Which file a session was attached to, and how: what is added later is probed in the same way. */
struct origin {
	const char *path;	/* by what it was opened */
	const char *shown;	/* what it is called, or NULL */
	pid_t pid;		/* a process that has it, or 0 */
	uint64_t dev, ino;
	struct trace trace;	/* which functions and libraries, and how */
};

struct json_object *origin_to_json(const struct origin *origin);
/* Texts stay in the document, lists are the origin's own. */
void origin_from_json(struct origin *origin, struct json_object *from);
void origin_free(struct origin *origin);

/* What it is called, in any case. */
const char *origin_name(const struct origin *origin);
/* By what the very file is opened now: by either of its paths; to be freed. NULL: by none. */
char *origin_file(const struct origin *origin);
/* Is it that one? */
bool origin_is_file(const struct origin *origin, const char *path);

#endif
