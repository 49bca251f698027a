// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "session/known.h"
#include "util/hash.h"

struct known_entry {
	struct file_key {
		uint64_t dev, ino;
	} key;
	struct known_file file;
	UT_hash_handle hh;
};

struct known_file *known_find(struct known *known, uint64_t dev, uint64_t ino)
{
	struct file_key key = { dev, ino };
	struct known_entry *entry;

	HASH_FIND(hh, known->files, &key, sizeof(key), entry);
	if (entry)
		return &entry->file;
	entry = mem_alloc(sizeof(*entry));
	entry->key = key;
	HASH_ADD(hh, known->files, key, sizeof(key), entry);
	return &entry->file;
}

struct known_file *known_find_path(struct known *known, const char *path)
{
	struct stat st;

	return stat(path, &st) ? NULL : known_find(known, st.st_dev, st.st_ino);
}

void known_free(struct known *known)
{
	struct known_entry *entry, *next;

	HASH_ITER(hh, known->files, entry, next) {
		HASH_DEL(known->files, entry);
		free(entry);
	}
}
