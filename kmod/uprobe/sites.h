/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SITES_H
#define KT_SITES_H

#include <linux/list.h>
#include <linux/types.h>

#include "uprobe/site.h"

struct kt_session;

/* The sites of one commit, by place. */
struct kt_site_set {
	struct list_head node;
	size_t len;
	u32 nr;
	struct kt_site sites[];
};

/* What is to be planted beside what is there, or no more. */
struct kt_staged {
	struct list_head batches;	/* new functions; those left afterwards could not be */
	bool has_leaving;		/* functions are gone */
	bool is_wider;			/* who was not wanted is now */
};

/*
 * Process context, sleep long, from the session's work only. apply: what was
 * staged, and everything planted, or nothing when is_paused, for whoever is
 * wanted by now. detach: after the return no hit runs or will run.
 */
int kt_sites_apply(struct kt_session *session, struct kt_staged *staged, bool is_paused);
void kt_sites_detach(struct kt_session *session);
void kt_sites_put(struct kt_session *session);

/* widen.c: plants breakpoints where they are wanted by now, and were not before. Likewise. */
int kt_sites_widen(struct kt_session *session);

#endif
