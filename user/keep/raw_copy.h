/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RAW_COPY_H
#define RAW_COPY_H

#include "keep/packets.h"
#include "keep/raw_metadata.h"

/* CPUs above this number have the files of the last one: they come from names of files. */
#define RAW_MOST_CPUS 8192

/* A trace of some records of a session, as the module made them, in packets of the same CPUs. */
struct raw_copy;

/* Writes the description into an empty folder, which raw_copy_finish() closes. */
struct raw_copy *raw_copy_create(int folder, const struct raw_trace *trace);
/* Appends a record; packets->record NULL: counts what is missing. */
void raw_copy_take(struct raw_copy *copy, const struct packets *packets);
/* Writes the rest, and frees the copy. Returns 0, or the errno of the first failure. */
int raw_copy_finish(struct raw_copy *copy);

#endif
