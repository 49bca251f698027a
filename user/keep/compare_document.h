/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMPARE_DOCUMENT_H
#define COMPARE_DOCUMENT_H

#include "keep/compare.h"
#include "util/err.h"

/*
 * Adds a document (docs/json.md) as the next run of a side, and puts it. It must be of the same kind
 * as those before it. Returns 0, or -1 with err set: the comparison can then only be freed.
 */
int compare_add(struct comparison *comparison, enum compare_side side, const char *path,
		struct json_object *document, struct err *err);

#endif
