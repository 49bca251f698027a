/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_DUMP_H
#define KT_DUMP_H

#include <linux/types.h>

struct netlink_callback;
struct nlattr;

/*
 * Words of cb->args. A dump of figures uses the words from KT_DUMP_OWN on for itself, another
 * dump uses the words after KT_DUMP_SESSION.
 */
enum {
	KT_DUMP_SESSION,	/* with a reference */
	KT_DUMP_FIGURES,	/* with a reference: a reset does not change a dump under way */
	KT_DUMP_FLAGS,		/* of the request, without KTRACE_READ_BEFORE */
	KT_DUMP_OWN
};

/* Every callback of a dump calls this first. Only the first call of a dump fills attrs. */
int kt_dump_begin(struct netlink_callback *cb, struct nlattr **attrs, u64 allowed, u64 needed);
/* The same for a dump of figures. allowed: flags that it takes besides KTRACE_READ_BEFORE. */
int kt_dump_begin_figures(struct netlink_callback *cb, u32 allowed);

/* The family's done callbacks. A dump may end before its first message. */
int kt_dump_end(struct netlink_callback *cb);
int kt_dump_end_figures(struct netlink_callback *cb);

#endif
