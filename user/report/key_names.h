/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KEY_NAMES_H
#define KEY_NAMES_H

#include "nl/nl_table.h"
#include "report/table.h"
#include "session/names.h"

/* What the numbers of the module's keys are called; all 0 but the functions at first. */
struct key_names {
	const struct names *functions;	/* or NULL, if no key is one */
	struct cgroup_names *cgroups;	/* read once, if a key is of one */
};

/*
 * The key of a row, an enum ktrace_key that is no virtio device or queue, with its name, which
 * lives as long as the table. A file has no name so far.
 */
struct row_key key_read(struct key_names *names, struct table *table, const struct knl_row *row,
			uint32_t key);
/* What the task was called that a row counted last; none: it is not known. */
struct row_key key_read_task(struct table *table, const struct knl_row *row);
void key_names_free(struct key_names *names);

#endif
