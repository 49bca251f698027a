/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SITE_H
#define KT_SITE_H

#include <linux/types.h>

#include <uapi/ktrace.h>

#include "compat/uprobe.h"

struct inode;
struct kt_session;

#define KT_NO_FUNC (~0U)

/* A place in a file where a session has a probe: the entry of a function, an exit, or both. */
struct kt_site {
	struct kt_uprobe uprobe;
	struct kt_session *session;
	struct inode *inode;
	struct inode *caller;	/* only calls from this file count (imports); or NULL */
	u64 offset;
	u32 entry;		/* the function that begins here, or KT_NO_FUNC */
	u32 exit;		/* the function that may end here, or KT_NO_FUNC */
	bool is_planted;
	struct inode *beside;	/* probe only processes that also map this file; NULL: all */
	bool may_be_elsewhere;	/* may be hit in a process that does not map beside */
	struct ktrace_exit desc;	/* of exit */
};

/* Sets the handlers of the site's uprobe, and the session's filter. Process context. */
void kt_site_init_uprobe(struct kt_site *site);

#endif
