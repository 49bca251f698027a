/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CGROUP_NAMES_H
#define CGROUP_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* The cgroups of version 2 that exist now. */
struct cgroup_names {
	struct cgroup_name {
		uint64_t id;	/* the inode of its folder */
		uint64_t parent;	/* its id */
		char *name;	/* of the folder */
		char *path;	/* NULL until cgroup_names_path() */
	} *names;		/* sorted by id */
	size_t nr;
};

/* Finds no cgroups if the hierarchy is not mounted. */
void cgroup_names_read(struct cgroup_names *names);
/*
 * Returns the path from the root of the hierarchy: "/", "/system.slice". Only the end of a very
 * long path is returned. Returns NULL if there is no such cgroup.
 */
const char *cgroup_names_path(struct cgroup_names *names, uint64_t id);
void cgroup_names_free(struct cgroup_names *names);

#endif
