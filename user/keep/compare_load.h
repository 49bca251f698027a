/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPARE_LOAD_H
#define COMPARE_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "util/err.h"

struct json_object;

#define COMPARE_LOAD_MOST (256UL << 20)	/* bytes of a document */

/*
 * Returns the document of an operand, which the caller puts: a file has it as text. Returns NULL
 * with err set. is_part: set to true if it is a recording of which something is missing.
 * session: the folder of the session of a recording that is wanted; NULL: the only one with records.
 */
struct json_object *compare_load(const char *path, const char *session, bool *is_part,
				 struct err *err);
/* The same of a text, which does not end with a zero. path: for err. */
struct json_object *compare_parse(const char *path, const char *text, size_t len, struct err *err);

#endif
