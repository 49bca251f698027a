/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BATCH_H
#define KT_BATCH_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

#include <uapi/ktrace.h>

struct file;
struct kt_session_config;

/* Functions of one file that user space has announced. */
struct kt_batch {
	struct list_head node;
	struct rcu_head rcu;	/* dumps look at one that may be dropped meanwhile */
	struct file *file;
	struct file *caller;	/* of imports; NULL: the session's file */
	u8 build_id[KTRACE_BUILD_ID_LEN];
	u32 build_id_len;
	u32 nr_sites;
	size_t len;
	u8 data[];	/* struct ktrace_func + struct ktrace_exit[] ... */
};

/* Process context. Refuses what is not well formed, changes nothing then. */
int kt_batch_check(const struct kt_session_config *config, const void *data, size_t len);
struct kt_batch *kt_batch_create(struct file *file, const void *data, size_t len);
void kt_batch_put(struct kt_batch *batch);
/* Are sites planted at its exits? */
static inline bool kt_batch_has_exits(const struct ktrace_func *func)
{
	return func->ret == KTRACE_RETURN_SITES || func->ret == KTRACE_RETURN_SILENT;
}

/* The function behind this one, NULL: the first; NULL: there is none. */
const struct ktrace_func *kt_batch_next(const struct kt_batch *batch,
					const struct ktrace_func *func);

#endif
