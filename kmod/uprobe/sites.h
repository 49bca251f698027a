/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SITES_H
#define KT_SITES_H

#include <linux/list.h>
#include <linux/types.h>

#include "uprobe/site.h"

struct kt_provider;
struct kt_session;

/* The sites of one commit, by place. */
struct kt_site_set {
	struct list_head node;
	size_t len;
	u32 nr;
	struct kt_site sites[];
};

/* What a session of user functions has of its own; made with its first functions. */
struct kt_sites {
	struct list_head sets;		/* of each commit */
	struct list_head batches;	/* those committed */
	bool is_wider;			/* tasks are wanted that were not at the last commit */
};

extern const struct kt_provider kt_user_provider;

/* widen.c, from the session's work: plants breakpoints that more tasks want by now. */
int kt_sites_widen(struct kt_session *session, const struct kt_sites *sites);

#endif
