// SPDX-License-Identifier: GPL-2.0
/*
 * The format is "glibc-ld.so.cache1.1", number, ..., entries, strings. Before glibc 2.32, it follows
 * a cache in an older format: "ld.so-1.7.0", number, entries of three words.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/ldcache.h"
#include "util/mem.h"
#include "util/root.h"

#define PATH "/etc/ld.so.cache"
#define MAX_LEN (16UL << 20)
#define MAX_KEY 256	/* a file name and its zero */
#define OLD_MAGIC "ld.so-1.7.0"
#define OLD_HEAD_LEN 16
#define OLD_ENTRY_LEN 12
#define MAGIC "glibc-ld.so.cache1.1"
#define X86_64 0x303U		/* a library of glibc, 64 bits */
#define ENTRIES_PER_STEP 64

struct header {
	char magic[20];
	uint32_t nr;
	uint32_t unused[6];
};

struct entry {
	uint32_t flags, key, value, os;
	uint64_t hwcap;		/* not 0: only for certain processors */
};

static bool take(const struct ldcache *cache, size_t at, void *to, size_t len)
{
	if (at > cache->len || len > cache->len - at)
		return false;
	memcpy(to, cache->bytes + at, len);
	return true;
}

static const char *string_at(const struct ldcache *cache, uint32_t offset)
{
	size_t at = cache->start + offset;

	return at < cache->len ? cache->bytes + at : NULL;
}

/* Returns the length of a cache in the older format at the start, or 0. */
static size_t old_len(const struct ldcache *cache)
{
	uint32_t nr;

	if (!take(cache, OLD_HEAD_LEN - sizeof(nr), &nr, sizeof(nr)) ||
	    memcmp(cache->bytes, OLD_MAGIC, strlen(OLD_MAGIC)))
		return 0;
	return (OLD_HEAD_LEN + (size_t)nr * OLD_ENTRY_LEN + 7) & ~7UL;
}

void ldcache_read(struct ldcache *cache, int root)
{
	struct header header;
	struct stat st;
	int fd = root_open(root, PATH, &st);
	ssize_t len;

	memset(cache, 0, sizeof(*cache));
	if (fd < 0)
		return;
	if (st.st_size > 0 && (size_t)st.st_size <= MAX_LEN) {
		cache->bytes = mem_alloc(st.st_size + 1);
		len = pread(fd, cache->bytes, st.st_size, 0);
		cache->len = len > 0 ? len : 0;
		cache->bytes[cache->len] = 0;
	}
	close(fd);
	cache->start = old_len(cache);
	if (take(cache, cache->start, &header, sizeof(header)) &&
	    !memcmp(header.magic, MAGIC, sizeof(header.magic)))
		cache->nr = header.nr;
}

void ldcache_free(struct ldcache *cache)
{
	free(cache->bytes);
	memset(cache, 0, sizeof(*cache));
}

const char *ldcache_find(const struct ldcache *cache, const char *name, size_t *nr_left)
{
	size_t at = cache->start + sizeof(struct header), i;
	struct entry entry;
	const char *key;

	for (i = 0; i < cache->nr && *nr_left && take(cache, at, &entry, sizeof(entry)); i++) {
		*nr_left -= !(i % ENTRIES_PER_STEP);
		at += sizeof(entry);
		key = string_at(cache, entry.key);
		/* Keys of a damaged cache may be as long as the cache. */
		if (entry.flags == X86_64 && !entry.hwcap && key && !strncmp(key, name, MAX_KEY))
			return string_at(cache, entry.value);
	}
	return NULL;
}
