/* SPDX-License-Identifier: GPL-2.0 */
/* How stacks of programs were found, file by file. */
#ifndef UNWIND_TEXT_H
#define UNWIND_TEXT_H

#include <stdio.h>

#include "session/unwinder.h"

struct json_object;

/* Prints one sentence, with the files that have no table. Prints nothing if no file is known. */
void unwind_print(FILE *out, const struct unwound *files, size_t nr);
/* Returns a list of the files. */
struct json_object *unwind_json(const struct unwound *files, size_t nr);
/* Adds the members of one file to a document. */
void unwind_json_put(struct json_object *to, const struct unwound *file);

#endif
