/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SITES_H
#define KT_SITES_H

#include <linux/list.h>
#include <linux/types.h>

#include "uprobe/site.h"

struct kt_provider;
struct kt_session;

/* The sites of one commit, sorted by place. */
struct kt_site_set {
	struct list_head node;
	size_t len;
	u32 nr;
	struct kt_site sites[];
};

/* Data of a session of user functions, made with its first functions. */
struct kt_sites {
	struct list_head sets;		/* one kt_site_set per commit */
	struct list_head batches;	/* committed kt_batches */
	bool is_wider;			/* since the last commit more tasks are traced */
	int nr_rows;			/* of the table, wanted in the pools while attached */
};

extern const struct kt_provider kt_user_provider;

/*
 * widen.c: plants breakpoints in tasks that are newly traced. Called by the work item of the
 * session. Returns 0 or -ENOMEM.
 */
int kt_sites_widen(struct kt_session *session, const struct kt_sites *sites);

#endif
