// SPDX-License-Identifier: GPL-2.0
/*
 * The old format is "ld.so-1.7.0", number, entries of three words, strings. The new format is
 * "glibc-ld.so.cache1.1", number, ..., entries with a word for the machine, strings, extensions. A
 * cache in the new format is a file of its own, or follows one in the old format.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/hwcaps.h"
#include "plan/ldcache.h"
#include "util/mem.h"
#include "util/root.h"

#define PATH "/etc/ld.so.cache"
#define MAX_LEN (16UL << 20)
#define MAX_KEY 256	/* a file name and its zero */
#define MAX_SAME 256	/* entries of one name; there is one per level of the processor */
#define OLD_MAGIC "ld.so-1.7.0"
#define NEW_MAGIC "glibc-ld.so.cache1.1"
#define X86_64 0x303U		/* a library of glibc, 64 bits */

struct old_header {
	char magic[12];
	uint32_t nr;
};

struct old_entry {
	uint32_t flags, key, value;
};

struct new_header {
	char magic[20];
	uint32_t nr;
	uint32_t strings_len;
	uint32_t flags;
	uint32_t extensions;
	uint32_t unused[3];
};

struct new_entry {
	uint32_t flags, key, value, os;
	uint64_t hwcap;
};

/* The header of the list of extensions, and one extension. */
struct extensions {
	uint32_t magic, nr;
};

struct extension {
	uint32_t tag, flags, offset, len;
};

#define EXTENSIONS_MAGIC 0xeaa42174U
#define TAG_HWCAPS 1U

/* hwcap: the upper half has a mark and the ISA level, the lower half the folder's number. */
#define IN_FOLDER (1U << 30)
#define LEVEL_MASK 0x3ffU

/* --- reading ------------------------------------------------------------ */

static bool take(const struct ldcache *cache, size_t at, void *to, size_t len)
{
	if (at > cache->len || len > cache->len - at)
		return false;
	memcpy(to, cache->bytes + at, len);
	return true;
}

static const char *string_at(const struct ldcache *cache, uint32_t offset)
{
	size_t at = cache->strings + offset;

	return at < cache->len ? cache->bytes + at : NULL;
}

static void take_folders(struct ldcache *cache, size_t at)
{
	struct extensions head;
	struct extension one;
	uint32_t i;

	if (!at || !take(cache, at, &head, sizeof(head)) || head.magic != EXTENSIONS_MAGIC)
		return;
	for (i = 0; i < head.nr; i++) {
		if (!take(cache, at + sizeof(head) + i * sizeof(one), &one, sizeof(one)))
			return;
		if (one.tag == TAG_HWCAPS) {
			cache->folders = cache->strings + one.offset;
			cache->nr_folders = one.len / 4;
		}
	}
}

static bool take_new(struct ldcache *cache, size_t at)
{
	struct new_header header;

	if (!take(cache, at, &header, sizeof(header)) ||
	    memcmp(header.magic, NEW_MAGIC, sizeof(header.magic)))
		return false;
	cache->strings = at;
	cache->entries = at + sizeof(header);
	cache->nr_entries = header.nr;
	cache->entry_len = sizeof(struct new_entry);
	take_folders(cache, header.extensions ? at + header.extensions : 0);
	return true;
}

static void take_old(struct ldcache *cache)
{
	struct old_header header;
	size_t end;

	if (!take(cache, 0, &header, sizeof(header)) ||
	    memcmp(header.magic, OLD_MAGIC, strlen(OLD_MAGIC)))
		return;
	end = sizeof(header) + (size_t)header.nr * sizeof(struct old_entry);
	if (take_new(cache, (end + 7) & ~7UL))
		return;
	cache->strings = end;
	cache->entries = sizeof(header);
	cache->nr_entries = header.nr;
	cache->entry_len = sizeof(struct old_entry);
}

static bool take_entry(const struct ldcache *cache, size_t number, struct new_entry *entry)
{
	memset(entry, 0, sizeof(*entry));
	return take(cache, cache->entries + number * cache->entry_len, entry, cache->entry_len);
}

/* Keys of a damaged cache may be as long as the cache, so only the beginning is compared. */
static int by_name(const void *a, const void *b)
{
	const struct ldcache_key *x = a, *y = b;
	int order = strncmp(x->name, y->name, MAX_KEY);

	return order ? order : (x->entry > y->entry) - (x->entry < y->entry);
}

/* Sorts the entries, since a program may need thousands of libraries. */
static void index_entries(struct ldcache *cache)
{
	struct new_entry entry;
	const char *name;
	size_t i;

	for (i = 0; i < cache->nr_entries && take_entry(cache, i, &entry); i++) {
		name = string_at(cache, entry.key);
		if (entry.flags != X86_64 || !name || strnlen(name, MAX_KEY) == MAX_KEY)
			continue;
		cache->keys = mem_grow(cache->keys, cache->nr_keys, sizeof(*cache->keys));
		cache->keys[cache->nr_keys].name = name;
		cache->keys[cache->nr_keys++].entry = i;
	}
	if (cache->nr_keys)
		qsort(cache->keys, cache->nr_keys, sizeof(*cache->keys), by_name);
}

void ldcache_read(struct ldcache *cache, int root)
{
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
	if (cache->bytes && !take_new(cache, 0))
		take_old(cache);
	if (cache->bytes)
		index_entries(cache);
}

void ldcache_free(struct ldcache *cache)
{
	free(cache->keys);
	free(cache->bytes);
	memset(cache, 0, sizeof(*cache));
}

/* --- looking up --------------------------------------------------------- */

/*
 * Returns the level of the glibc-hwcaps folder of an entry: 1 if the entry is in no such folder, 0
 * if it is not for this machine.
 */
static int level_of(const struct ldcache *cache, const struct new_entry *entry)
{
	uint32_t high = entry->hwcap >> 32, number = entry->hwcap, name;
	const char *folder;
	int level;

	if (!entry->hwcap)
		return 1;
	if ((high & ~LEVEL_MASK) != IN_FOLDER || number >= cache->nr_folders ||
	    (int)(high & LEVEL_MASK) >= hwcaps_level() ||
	    !take(cache, cache->folders + 4UL * number, &name, sizeof(name)))
		return 0;
	folder = string_at(cache, name);
	level = folder ? hwcaps_level_of(folder) : 0;
	return level <= hwcaps_level() ? level : 0;
}

static size_t first_key(const struct ldcache *cache, const char *name)
{
	const struct ldcache_key key = { name, 0 };
	size_t low = 0, high = cache->nr_keys, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (by_name(&cache->keys[mid], &key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const char *ldcache_find(const struct ldcache *cache, const char *name)
{
	const char *path, *best = NULL;
	int level, best_level = 0;
	struct new_entry entry;
	size_t i = first_key(cache, name), end = i + MAX_SAME;

	end = end < cache->nr_keys ? end : cache->nr_keys;
	for (; i < end && !strcmp(cache->keys[i].name, name); i++) {
		take_entry(cache, cache->keys[i].entry, &entry);
		level = level_of(cache, &entry);
		path = level > best_level ? string_at(cache, entry.value) : NULL;
		if (!path)
			continue;
		best = path;
		best_level = level;
	}
	return best;
}
