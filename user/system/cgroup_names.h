/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CGROUP_NAMES_H
#define CGROUP_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* The cgroups of version 2 that exist now. */
struct cgroup_names {
	struct cgroup_name {
		uint64_t id;	/* the inode of its folder */
		char *path;	/* path from the root of the hierarchy: "/", "/system.slice" */
	} *names;		/* sorted by id */
	size_t nr;
};

/* Finds no cgroups if the hierarchy is not mounted. */
void cgroup_names_read(struct cgroup_names *names);
/* Returns NULL if there is no such cgroup. */
const char *cgroup_names_path(const struct cgroup_names *names, uint64_t id);
void cgroup_names_free(struct cgroup_names *names);

#endif
