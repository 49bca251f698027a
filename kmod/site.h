/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SITE_H
#define KT_SITE_H

#include <linux/list.h>
#include <linux/types.h>

struct file;
struct kt_session;
struct kt_session_config;

/* Functions of one file that user space has announced. */
struct kt_batch {
	struct list_head node;
	struct file *file;
	u8 build_id[KTRACE_BUILD_ID_LEN];
	u32 build_id_len;
	size_t len;
	u8 data[];	/* struct ktrace_func + struct ktrace_exit[] ... */
};

/* Process context. Refuses what is not well formed, changes nothing then. */
int kt_batch_check(const struct kt_session_config *config, const void *data, size_t len);
struct kt_batch *kt_batch_create(struct file *file, const void *data, size_t len);
void kt_batch_put(struct kt_batch *batch);

/* Process context, sleeps long: plants and removes all probes of a session. */
int kt_sites_attach(struct kt_session *session);
void kt_sites_detach(struct kt_session *session);
void kt_sites_put(struct kt_session *session);

#endif
