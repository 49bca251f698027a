/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LDCACHE_H
#define LDCACHE_H

#include <stddef.h>
#include <stdint.h>

/* /etc/ld.so.cache: the paths of libraries that ldconfig has found, by name. */
struct ldcache {
	char *bytes;		/* the file and a zero; NULL if it could not be read */
	size_t len;
	size_t entries, nr_entries, entry_len;
	size_t strings;		/* offsets of strings count from here */
	size_t folders, nr_folders;	/* array of offsets of the names of glibc-hwcaps folders */
	struct ldcache_key {
		const char *name;
		uint32_t entry;		/* its number */
	} *keys;		/* entries for this machine, by name and number */
	size_t nr_keys;
};

/* Reads the cache below root. It has no entries if the file cannot be read or parsed. */
void ldcache_read(struct ldcache *cache, int root);
void ldcache_free(struct ldcache *cache);

/* Returns the path of the library's best version for this machine, or NULL. */
const char *ldcache_find(const struct ldcache *cache, const char *name);

#endif
