/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LDCACHE_H
#define LDCACHE_H

#include <stddef.h>

/* /etc/ld.so.cache: the paths of libraries that ldconfig has found, by name. */
struct ldcache {
	char *bytes;		/* the file and a zero; NULL if it could not be read */
	size_t len;
	size_t start;		/* offsets of strings count from here */
	size_t nr;		/* entries */
};

/* Reads the cache below root. It has no entries if the file cannot be read or parsed. */
void ldcache_read(struct ldcache *cache, int root);
void ldcache_free(struct ldcache *cache);

/*
 * Returns the path of a library for this machine, or NULL. Versions for certain processors
 * (glibc-hwcaps) are not looked up. Each look-up takes some from *nr_left, more for a long cache.
 */
const char *ldcache_find(const struct ldcache *cache, const char *name, size_t *nr_left);

#endif
