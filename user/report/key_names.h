/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KEY_NAMES_H
#define KEY_NAMES_H

#include "client/client.h"
#include "report/table.h"
#include "session/names.h"

/* The keys that --by takes, in the order of its help; the last one has no name. */
extern const struct key_kind key_kinds[];
const struct key_kind *key_kind_of(uint32_t id);

/* Names for the numbers of the module's keys. All members except functions are 0 at first. */
struct key_names {
	const struct names *functions;	/* NULL if no key is a function */
	struct cgroup_names *cgroups;	/* read once, if a key is a cgroup */
};

/*
 * Returns a key of a row with its name, which lives as long as the table. key: an enum ktrace_key
 * except virtio devices and queues. A file gets no name here.
 */
struct row_key key_read(struct key_names *names, struct table *table, const struct ktr_row *row,
			uint32_t key);
/*
 * Returns a key with this number and its name; not the name of a task, whose key is no number, and
 * not that of a file.
 */
struct row_key key_named(struct key_names *names, struct table *table, uint32_t key,
			 uint64_t number);
/* Returns the name of the task that the row counted last; is_none if it is not known. */
struct row_key key_read_task(struct table *table, const struct ktr_row *row);
void key_names_free(struct key_names *names);

#endif
