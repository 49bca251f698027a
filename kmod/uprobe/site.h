/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SITE_H
#define KT_SITE_H

#include <linux/types.h>

#include <uapi/ktrace.h>

#include "compat/uprobe.h"

struct inode;
struct kt_session;

#define KT_NO_FUNC (~0U)

/* A place in a file where a session has a probe: of a function's entry, its exit, or both. */
struct kt_site {
	struct kt_uprobe uprobe;
	struct kt_session *session;
	struct inode *inode;
	struct inode *caller;	/* of an import: the file whose calls count, else NULL */
	u64 offset;
	u32 entry;		/* the function that begins here, or KT_NO_FUNC */
	u32 exit;		/* the one that may end here, or KT_NO_FUNC */
	bool is_planted;
	struct inode *beside;	/* another file: probed only where it is mapped too, else NULL */
	bool may_be_elsewhere;	/* hit where that is not */
	struct ktrace_exit desc;	/* of exit */
};

/* Gives its uprobe the handlers that fit, and the session's filter. Process context. */
void kt_site_init_uprobe(struct kt_site *site);

#endif
