/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_UNWIND_STORE_H
#define KT_UNWIND_STORE_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include "core/unwind_table.h"

struct inode;

/*
 * Guards everything about unwinding that is not read by hits: files, sessions, maps. It is a lock
 * of its own, because a table may be long to check, and maps are built in a work. Process context;
 * never taken by hits. It is taken before an mmap lock, which is only tried.
 */
extern struct mutex kt_unwind_lock;

/* Identifies the content of a file. All 0: the vDSO. */
struct kt_unwind_key {
	u64 ino;
	u64 changed;
	s64 len;
	u32 dev;
	u32 generation;
};

/* A mapped file as /proc/PID/maps shows it; the vDSO: all 0. */
struct kt_unwind_shown {
	u64 ino;
	u32 dev;			/* dev_t */
};

/* What is known about a file. */
struct kt_unwind_file {
	struct hlist_node node, by_nr;	/* kt_unwind_lock */
	u32 nr;				/* no other file has it, or had it; not 0 */
	struct kt_unwind_shown shown;	/* where it was mapped last; kt_unwind_lock */
	struct kt_unwind_key key;
	u32 nr_users;			/* sessions; kt_unwind_lock */
	struct kt_unwind_table table;	/* hits read it */
	void *bytes;			/* of the table; NULL: the file has none */
	size_t len;
};

/* Returns the key of the file of an inode, or that of the vDSO if inode is NULL. */
struct kt_unwind_key kt_unwind_key_of(const struct inode *inode);
bool kt_unwind_key_is_same(const struct kt_unwind_key *a, const struct kt_unwind_key *b);

/* The caller of the functions below holds kt_unwind_lock. */

/* Returns what is known about a file, or NULL. */
struct kt_unwind_file *kt_unwind_store_find(const struct kt_unwind_key *key);
/*
 * Adds a file with one user. bytes, of kt_mem_alloc(), are those of its table, which becomes the
 * owner of them; or NULL. Returns NULL if there is no memory.
 */
struct kt_unwind_file *kt_unwind_store_add(const struct kt_unwind_key *key, void *bytes, size_t len,
					   const struct kt_unwind_table *table);
/* Fills in what is shown for the file with a number. Returns false if it has been removed. */
bool kt_unwind_store_get_shown(u32 nr, struct kt_unwind_shown *shown);
/* Removes a file. No map has it any more; hits may still use it until kt_unwind_file_free(). */
void kt_unwind_store_remove(struct kt_unwind_file *file);
void kt_unwind_file_free(struct kt_unwind_file *file);

/* Returns a number that grows with each table that is added. Any context. */
u32 kt_unwind_store_generation(void);

#endif
