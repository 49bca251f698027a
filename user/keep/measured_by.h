/* SPDX-License-Identifier: GPL-2.0 */
/* The rows of a recording by keys that are chosen with --by. */
#ifndef MEASURED_BY_H
#define MEASURED_BY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "keep/measured.h"

/* Returns the keys that recordings can have: 1 << KTRACE_KEY_*. */
uint32_t measured_keys(void);
/* Groups all events, before the pass. Returns 0, or -1 with err set if a session has no such key. */
int measuring_group(struct measuring *measuring, const struct ktrace_table *keys, struct err *err);

/* The same results as measured_print(), measured_table() and measured_document(). */
void measured_by_print(FILE *out, const struct measured *measured, size_t nr, const char *sort);
void measured_by_table(const struct measured *measured, const char *sort,
		       void (*fn)(void *arg, const struct table *table), void *arg);
struct json_object *measured_by_document(const struct measured *measured, bool has_hists);

#endif
