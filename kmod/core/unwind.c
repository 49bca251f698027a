// SPDX-License-Identifier: GPL-2.0
/*
 * The tables for unwinding of a session. A file belongs to all sessions that were given it, and
 * ends with the last of them.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/pid_namespace.h>
#include <linux/string.h>

#include <uapi/ktrace.h>

#include "compat/mm.h"
#include "compat/rcu.h"
#include "core/unwind.h"
#include "core/unwind_changes.h"
#include "core/unwind_maps.h"
#include "core/unwind_store.h"
#include "lib/mem.h"

#define MAX_LEN (sizeof(struct ktrace_unwind_head) + (KTRACE_UNWIND_MAX_PAGES + 1) * sizeof(u32) + \
		 KTRACE_UNWIND_MAX_RULES * sizeof(struct ktrace_unwind_rule) + \
		 KTRACE_UNWIND_MAX_ROWS * sizeof(struct ktrace_unwind_row))

/* A table of which parts are missing. */
struct unwind_upload {
	u64 socket;			/* that sends it */
	struct kt_unwind_key key;
	char *bytes;			/* NULL: there is none */
	u32 len, at;			/* the next part begins at */
};

struct kt_unwind {
	struct kt_unwind_listener listener;
	atomic64_t sender;		/* socket that sends a table, or 0 */
	/* guarded by kt_unwind_lock: */
	struct unwind_upload upload;
	struct kt_unwind_file **files;	/* [KTRACE_UNWIND_FILES] */
	u32 nr_files;
};

static u32 nr_sessions;			/* kt_unwind_lock */

#define FILES_LEN (KTRACE_UNWIND_FILES * sizeof(struct kt_unwind_file *))

/* --- life ------------------------------------------------------------------- */

struct kt_unwind *kt_unwind_create(u64 session)
{
	struct kt_unwind *unwind = kt_mem_alloc(sizeof(*unwind));

	if (!unwind)
		return NULL;
	unwind->files = kt_mem_alloc(FILES_LEN);
	if (!unwind->files) {
		kt_mem_free(unwind, sizeof(*unwind));
		return NULL;
	}
	unwind->listener.session = session;
	unwind->listener.pid_ns = get_pid_ns(task_active_pid_ns(current));
	atomic64_set(&unwind->sender, 0);
	mutex_lock(&kt_unwind_lock);
	if (!nr_sessions++)
		kt_unwind_changes_begin(kt_unwind_maps_changed);
	kt_unwind_maps_listen(&unwind->listener);
	mutex_unlock(&kt_unwind_lock);
	return unwind;
}

static void unwind_forget_upload(struct kt_unwind *unwind)
{
	lockdep_assert_held(&kt_unwind_lock);
	kt_mem_free(unwind->upload.bytes, unwind->upload.len);
	memset(&unwind->upload, 0, sizeof(unwind->upload));
}

/* Moves files without further users to the front of the list. Returns how many there are. */
static u32 unwind_leave_files(struct kt_unwind *unwind)
{
	u32 i, nr = 0;

	lockdep_assert_held(&kt_unwind_lock);
	for (i = 0; i < unwind->nr_files; i++)
		if (!--unwind->files[i]->nr_users) {
			kt_unwind_store_remove(unwind->files[i]);
			unwind->files[nr++] = unwind->files[i];
		}
	return nr;
}

void kt_unwind_put(struct kt_unwind *unwind)
{
	HLIST_HEAD(maps);
	u32 nr;

	if (!unwind)
		return;
	mutex_lock(&kt_unwind_lock);
	kt_unwind_maps_leave(&unwind->listener);
	unwind_forget_upload(unwind);
	nr = unwind_leave_files(unwind);
	kt_unwind_maps_take_unused(&maps);
	if (!--nr_sessions)
		kt_unwind_changes_end();
	mutex_unlock(&kt_unwind_lock);
	/* Hits of other sessions may use a map, and the files in it. */
	kt_wait_for_hits();
	kt_unwind_maps_free(&maps);
	while (nr)
		kt_unwind_file_free(unwind->files[--nr]);
	put_pid_ns(unwind->listener.pid_ns);
	kt_mem_free(unwind->files, FILES_LEN);
	kt_mem_free(unwind, sizeof(*unwind));
}

void kt_unwind_close_socket(struct kt_unwind *unwind, u64 socket)
{
	if (unwind)
		atomic64_cmpxchg(&unwind->sender, socket, 0);
}

/* --- adding ----------------------------------------------------------------- */

static bool unwind_has(const struct kt_unwind *unwind, const struct kt_unwind_file *file)
{
	u32 i;

	for (i = 0; i < unwind->nr_files; i++)
		if (unwind->files[i] == file)
			return true;
	return false;
}

/* Uses a file that is known. */
static int unwind_share(struct kt_unwind *unwind, struct kt_unwind_file *file)
{
	if (unwind_has(unwind, file))
		return -EEXIST;
	if (unwind->nr_files == KTRACE_UNWIND_FILES)
		return -E2BIG;
	file->nr_users++;
	unwind->files[unwind->nr_files++] = file;
	return -EEXIST;
}

/* Puts a table into use, and takes its bytes. */
static int unwind_publish(struct kt_unwind *unwind, const struct kt_unwind_key *key, void *bytes,
			  size_t len, const struct kt_unwind_table *table)
{
	struct kt_unwind_file *file;

	if (unwind->nr_files == KTRACE_UNWIND_FILES)
		return -E2BIG;
	file = kt_unwind_store_add(key, bytes, len, table);
	if (!file)
		return -ENOMEM;
	unwind->files[unwind->nr_files++] = file;
	return 0;
}

static int unwind_begin(struct kt_unwind *unwind, const struct kt_unwind_key *key, u64 socket,
			u32 len)
{
	struct kt_unwind_file *file = kt_unwind_store_find(key);

	unwind_forget_upload(unwind);
	if (file)
		return unwind_share(unwind, file);
	if (!len)
		return unwind_publish(unwind, key, NULL, 0, NULL);
	if (len > MAX_LEN || unwind->nr_files == KTRACE_UNWIND_FILES)
		return -E2BIG;
	unwind->upload.socket = socket;
	unwind->upload.key = *key;
	unwind->upload.bytes = kt_mem_alloc(len);
	if (!unwind->upload.bytes)
		return -ENOMEM;
	unwind->upload.len = len;
	return 0;
}

/* Another session may have sent the same table meanwhile. */
static int unwind_complete(struct kt_unwind *unwind)
{
	struct unwind_upload *upload = &unwind->upload;
	struct kt_unwind_file *file = kt_unwind_store_find(&upload->key);
	struct kt_unwind_table table;
	int error;

	if (file) {
		unwind_forget_upload(unwind);
		error = unwind_share(unwind, file);
		return error == -EEXIST ? 0 : error;
	}
	if (!kt_unwind_table_open(&table, upload->bytes, upload->len))
		return -EINVAL;
	error = unwind_publish(unwind, &upload->key, upload->bytes, upload->len, &table);
	if (!error)
		memset(upload, 0, sizeof(*upload));
	return error;
}

static int unwind_append(struct kt_unwind *unwind, const struct kt_unwind_key *key,
			 const struct kt_unwind_part *part)
{
	struct unwind_upload *upload = &unwind->upload;

	if (!upload->bytes || part->socket != upload->socket || part->offset != upload->at ||
	    part->table_len != upload->len || !part->len || part->len > upload->len - upload->at ||
	    !kt_unwind_key_is_same(key, &upload->key))
		return -EINVAL;
	memcpy(upload->bytes + upload->at, part->bytes, part->len);
	upload->at += part->len;
	return upload->at == upload->len ? unwind_complete(unwind) : 0;
}

int kt_unwind_add(struct kt_unwind *unwind, const struct kt_unwind_part *part)
{
	struct kt_unwind_key key = kt_unwind_key_of(part->file ? kt_file_inode(part->file) : NULL);
	u64 sender = atomic64_cmpxchg(&unwind->sender, 0, part->socket);
	int error = 0;

	if (sender && sender != part->socket)
		return -EBUSY;
	mutex_lock(&kt_unwind_lock);
	if (!part->offset)
		error = unwind_begin(unwind, &key, part->socket, part->table_len);
	if (!error && part->table_len)
		error = unwind_append(unwind, &key, part);
	if (error)
		unwind_forget_upload(unwind);
	if (!unwind->upload.bytes)
		atomic64_cmpxchg(&unwind->sender, part->socket, 0);
	mutex_unlock(&kt_unwind_lock);
	return error;
}
