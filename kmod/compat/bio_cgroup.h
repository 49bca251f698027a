/* SPDX-License-Identifier: GPL-2.0 */
/* The cgroup (version 2) that queued a bio. */
#ifndef KT_COMPAT_BIO_CGROUP_H
#define KT_COMPAT_BIO_CGROUP_H

#include <linux/bio.h>
#include <linux/cgroup.h>
#include <linux/sched.h>

#include "compat/cgroup.h"

#ifdef KT_HAVE_BIO_BLKCG_CSS
#include <linux/blk-cgroup.h>

/* Returns the cgroup that bio is charged to, or NULL if it is not in the hierarchy of own. */
static inline struct cgroup *kt_bio_charged(struct bio *bio, const struct cgroup *own)
{
	struct cgroup_subsys_state *css = bio ? bio_blkcg_css(bio) : NULL;

	return css && css->cgroup && css->cgroup->root == own->root ? css->cgroup : NULL;
}
#else
static inline struct cgroup *kt_bio_charged(struct bio *bio, const struct cgroup *own)
{
	return NULL;
}
#endif

/*
 * Returns the id of the cgroup, or 0 if it is not known. Writeback counts for the cgroup that the
 * bio is charged to. A task's own bio is charged to the next cgroup upwards that has an io
 * controller, but counts for the task's cgroup. RCU reader; bio may be NULL. by_task: if the bio
 * comes from a task, this is current.
 */
#if KT_KNOWS_CGROUPS
static inline u64 kt_bio_cgroup(struct bio *bio, bool by_task)
{
	struct cgroup *own = task_dfl_cgroup(current);
	struct cgroup *charged = kt_bio_charged(bio, own);

	if (by_task && (!charged || cgroup_is_descendant(own, charged)))
		charged = own;
	return charged ? kt_cgroup_id(charged) : 0;
}
#else
static inline u64 kt_bio_cgroup(struct bio *bio, bool by_task)
{
	return 0;
}
#endif

#endif
