// SPDX-License-Identifier: GPL-2.0
/* Begin and end of every dump of one session. cb->args contains the references of the dump. */
#include <linux/errno.h>
#include <net/genetlink.h>

#include <uapi/ktrace.h>

#include "compat/genl.h"
#include "core/figures.h"
#include "core/session.h"
#include "netlink/attrs.h"
#include "netlink/dump.h"
#include "netlink/message.h"
#include "session/sessions.h"

int kt_dump_begin(struct netlink_callback *cb, struct nlattr **attrs, u64 allowed, u64 needed)
{
	struct kt_session *session;
	int error;

	if (cb->args[KT_DUMP_SESSION])
		return 0;
	error = kt_message_parse_dump(cb, attrs);
	if (!error)
		error = kt_message_check(cb->skb, attrs, allowed, needed, kt_dump_extack(cb));
	if (error)
		return error;
	session = kt_message_find(attrs);
	if (!session)
		return -ENOENT;
	cb->args[KT_DUMP_SESSION] = (long)session;
	return 0;
}

int kt_dump_end(struct netlink_callback *cb)
{
	if (cb->args[KT_DUMP_SESSION])
		kt_session_put((struct kt_session *)cb->args[KT_DUMP_SESSION]);
	cb->args[KT_DUMP_SESSION] = 0;
	return 0;
}

int kt_dump_begin_figures(struct netlink_callback *cb, u32 allowed)
{
	struct nlattr *attrs[KTRACE_A_MAX + 1];
	int error = kt_dump_begin(cb, attrs, MASK(SESSION) | MASK(FLAGS), MASK(SESSION));
	struct kt_session *session;
	u32 flags;

	if (error || cb->args[KT_DUMP_FIGURES])
		return error;
	flags = kt_attrs_u32(attrs[KTRACE_A_FLAGS], 0);
	if (flags & ~(KTRACE_READ_BEFORE | allowed))
		return -EINVAL;
	cb->args[KT_DUMP_FLAGS] = flags & allowed;
	session = (struct kt_session *)cb->args[KT_DUMP_SESSION];
	cb->args[KT_DUMP_FIGURES] = (long)kt_session_figures(session, flags & KTRACE_READ_BEFORE);
	return cb->args[KT_DUMP_FIGURES] ? 0 : -ENODATA;
}

int kt_dump_end_figures(struct netlink_callback *cb)
{
	kt_figures_put((struct kt_figures *)cb->args[KT_DUMP_FIGURES]);
	cb->args[KT_DUMP_FIGURES] = 0;
	return kt_dump_end(cb);
}
