// SPDX-License-Identifier: GPL-2.0
/*
 * The files whose tables for unwinding sessions were given. A file is identified by its inode and
 * by the time of its last change, so a file that was written again is another one.
 */
#include <linux/compiler.h>
#include <linux/fs.h>
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "compat/mm.h"
#include "core/unwind_store.h"
#include "lib/mem.h"

#define BUCKETS_ORDER 9

DEFINE_MUTEX(kt_unwind_lock);	/* see unwind_store.h */

static struct hlist_head buckets[1 << BUCKETS_ORDER];	/* kt_unwind_lock */
static struct hlist_head numbered[1 << BUCKETS_ORDER];	/* by nr; kt_unwind_lock */
static u32 last_nr;		/* of all files so far; kt_unwind_lock */
static u32 generation;		/* written under kt_unwind_lock */

struct kt_unwind_key kt_unwind_key_of(const struct inode *inode)
{
	struct kt_unwind_key key = { .ino = 0 };

	if (!inode)
		return key;
	key.ino = inode->i_ino;
	key.changed = kt_inode_changed(inode);
	key.len = i_size_read(inode);
	key.dev = inode->i_sb->s_dev;
	key.generation = inode->i_generation;
	return key;
}

bool kt_unwind_key_is_same(const struct kt_unwind_key *a, const struct kt_unwind_key *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static struct hlist_head *unwind_store_bucket(const struct kt_unwind_key *key)
{
	u32 hash = jhash(key, sizeof(*key), 0);

	return &buckets[hash >> (32 - BUCKETS_ORDER)];
}

struct kt_unwind_file *kt_unwind_store_find(const struct kt_unwind_key *key)
{
	struct kt_unwind_file *file;

	lockdep_assert_held(&kt_unwind_lock);
	hlist_for_each_entry(file, unwind_store_bucket(key), node)
		if (kt_unwind_key_is_same(&file->key, key))
			return file;
	return NULL;
}

static struct hlist_head *unwind_store_numbered(u32 nr)
{
	return &numbered[nr % ARRAY_SIZE(numbered)];
}

bool kt_unwind_store_get_shown(u32 nr, struct kt_unwind_shown *shown)
{
	const struct kt_unwind_file *file;

	lockdep_assert_held(&kt_unwind_lock);
	hlist_for_each_entry(file, unwind_store_numbered(nr), by_nr)
		if (file->nr == nr) {
			*shown = file->shown;
			return true;
		}
	return false;
}

struct kt_unwind_file *kt_unwind_store_add(const struct kt_unwind_key *key, void *bytes, size_t len,
					   const struct kt_unwind_table *table)
{
	struct kt_unwind_file *file = kt_mem_alloc(sizeof(*file));

	lockdep_assert_held(&kt_unwind_lock);
	if (!file)
		return NULL;
	file->key = *key;
	file->nr_users = 1;
	file->bytes = bytes;
	file->len = len;
	if (bytes)
		file->table = *table;
	file->nr = ++last_nr;
	hlist_add_head(&file->node, unwind_store_bucket(key));
	hlist_add_head(&file->by_nr, unwind_store_numbered(file->nr));
	if (bytes)
		WRITE_ONCE(generation, generation + 1);
	return file;
}

void kt_unwind_store_remove(struct kt_unwind_file *file)
{
	lockdep_assert_held(&kt_unwind_lock);
	hlist_del(&file->node);
	hlist_del(&file->by_nr);
}

void kt_unwind_file_free(struct kt_unwind_file *file)
{
	kt_mem_free(file->bytes, file->len);
	kt_mem_free(file, sizeof(*file));
}

u32 kt_unwind_store_generation(void)
{
	return READ_ONCE(generation);
}
