/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CGROUP_NAMES_H
#define CGROUP_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* The cgroups of version 2 that there are now. */
struct cgroup_names {
	struct cgroup_name {
		uint64_t id;	/* its folder's inode */
		char *path;	/* "/", "/system.slice": below the root */
	} *names;		/* in order of ids */
	size_t nr;
};

void cgroup_names_read(struct cgroup_names *names);	/* none: the hierarchy is not mounted */
/* NULL: it is gone. */
const char *cgroup_names_path(const struct cgroup_names *names, uint64_t id);
void cgroup_names_free(struct cgroup_names *names);

#endif
