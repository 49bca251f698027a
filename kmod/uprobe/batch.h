/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BATCH_H
#define KT_BATCH_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

#include <uapi/ktrace.h>

struct file;
struct kt_session_config;

/* Functions of one file, as received from user space. */
struct kt_batch {
	struct list_head node;
	struct rcu_head rcu;	/* dumps may read a batch that is being dropped */
	struct file *file;
	struct file *caller;	/* for KTRACE_FUNC_CALLER; NULL: the session's file */
	u8 build_id[KTRACE_BUILD_ID_LEN];
	u32 build_id_len;
	u32 nr_sites;
	size_t len;
	u8 data[];	/* struct ktrace_func + struct ktrace_exit[] ... */
};

/*
 * Process context. Check returns 0, -EINVAL if data is malformed, or -E2BIG if it has too many
 * sites. Create takes a reference to the file; it returns NULL if there is no memory.
 */
int kt_batch_check(const struct kt_session_config *config, const void *data, size_t len);
struct kt_batch *kt_batch_create(struct file *file, const void *data, size_t len);
void kt_batch_put(struct kt_batch *batch);
/* Returns true if sites are planted at the exits of the function. */
static inline bool kt_batch_has_exits(const struct ktrace_func *func)
{
	return func->ret == KTRACE_RETURN_SITES || func->ret == KTRACE_RETURN_SILENT;
}

/* Returns the function after func, or the first one if func is NULL. Returns NULL at the end. */
const struct ktrace_func *kt_batch_next(const struct kt_batch *batch,
					const struct ktrace_func *func);

#endif
