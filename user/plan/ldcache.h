/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LDCACHE_H
#define LDCACHE_H

#include <stddef.h>
#include <stdint.h>

/* /etc/ld.so.cache: where ldconfig has found libraries, by name. */
struct ldcache {
	char *bytes;		/* with a zero behind them; NULL: there is none */
	size_t len;
	size_t entries, nr_entries, entry_len;
	size_t strings;		/* where offsets of strings begin */
	size_t folders, nr_folders;	/* offsets of the names that glibc-hwcaps has there */
};

/* Empty where it cannot be read or understood. */
void ldcache_read(struct ldcache *cache, int root);
void ldcache_free(struct ldcache *cache);

/* The best path that this machine has for a library; or NULL. */
const char *ldcache_find(const struct ldcache *cache, const char *name);

#endif
