// SPDX-License-Identifier: GPL-2.0
/* UNWIND_ADD: a part of the table for unwinding of a file. */
#include <linux/errno.h>
#include <linux/file.h>
#include <net/genetlink.h>

#include <uapi/ktrace.h>

#include "compat/genl.h"
#include "core/session.h"
#include "core/unwind.h"
#include "netlink/attrs.h"
#include "netlink/commands.h"
#include "netlink/message.h"
#include "session/sessions.h"

static int unwind_add_get(const struct genl_info *info, struct kt_unwind_part *part)
{
	struct nlattr **a = info->attrs, *bytes = a[KTRACE_A_UNWIND_PART];

	part->socket = kt_message_socket(info);
	part->table_len = nla_get_u32(a[KTRACE_A_UNWIND_LEN]);
	part->offset = kt_attrs_u32(a[KTRACE_A_UNWIND_OFFSET], 0);
	part->bytes = bytes ? nla_data(bytes) : NULL;
	part->len = bytes ? nla_len(bytes) : 0;
	if (!part->table_len != !bytes || (part->offset && !bytes))
		return kt_refuse(kt_info_extack(info), -EINVAL,
				 "A table has parts, and only a file without one has none.");
	return a[KTRACE_A_FD] ? kt_attrs_open(a[KTRACE_A_FD], &part->file) : 0;
}

static int unwind_add_part(struct kt_session *session, struct genl_info *info)
{
	struct kt_unwind_part part = { .file = NULL };
	int error;

	if (!session->unwind)
		return kt_refuse(kt_info_extack(info), -EINVAL,
				 "The session does not take tables for unwinding.");
	error = unwind_add_get(info, &part);
	if (error)
		return error;
	error = kt_unwind_add(session->unwind, &part);
	if (part.file)
		fput(part.file);
	return error;
}

int kt_cmd_unwind_add(struct sk_buff *request, struct genl_info *info)
{
	struct kt_session *session;
	int error = kt_message_get_session(request, info, MASK(FD) | MASK(UNWIND_OFFSET) |
					   MASK(UNWIND_PART), MASK(UNWIND_LEN), &session);

	if (error)
		return error;
	error = unwind_add_part(session, info);
	kt_session_put(session);
	return error;
}
