// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of the family: checks the senders and the attributes of requests, and builds answers.
 * Every command and every dump uses this file.
 */
#include <linux/errno.h>
#include <linux/netlink.h>
#include <linux/stringify.h>
#include <net/genetlink.h>

#include <uapi/ktrace.h>

#include "compat/genl.h"
#include "core/filter.h"
#include "core/session.h"
#include "netlink/lockdown.h"
#include "netlink/message.h"
#include "netlink/sender.h"
#include "session/sessions.h"

static struct genl_family *family;	/* set before the family is registered */

void kt_message_init(struct genl_family *of)
{
	family = of;
}

const struct nla_policy kt_message_policy[KTRACE_A_MAX + 1] = {
	[KTRACE_A_COSTS] = { .type = NLA_BINARY, .len = sizeof(struct ktrace_costs) },
	[KTRACE_A_NAME] = { .type = NLA_NUL_STRING, .len = KTRACE_NAME_LEN - 1 },
	[KTRACE_A_SESSION] = { .type = NLA_U64 },
	[KTRACE_A_PROVIDER] = { .type = NLA_U32 },
	[KTRACE_A_SINKS] = { .type = NLA_U32 },
	[KTRACE_A_FLAGS] = { .type = NLA_U32 },
	[KTRACE_A_TARGET] = { .type = NLA_NESTED },
	[KTRACE_A_WHO] = { .type = NLA_NESTED },
	[KTRACE_A_LIMIT] = { .type = NLA_NESTED },
	[KTRACE_A_TABLE] = { .type = NLA_BINARY, .len = sizeof(struct ktrace_table) },
	[KTRACE_A_FD] = { .type = NLA_U32 },
	[KTRACE_A_CALLER_FD] = { .type = NLA_U32 },
	[KTRACE_A_BUILD_ID] = { .type = NLA_BINARY, .len = KTRACE_BUILD_ID_LEN },
	[KTRACE_A_FUNCS] = { .type = NLA_BINARY, .len = 60000 },
	[KTRACE_A_SYMBOLS] = { .type = NLA_BINARY, .len = 60000 },
	[KTRACE_A_FUNC_LIST] = { .type = NLA_BINARY, .len = 60000 },
	[KTRACE_A_CPU] = { .type = NLA_U32 },
	[KTRACE_A_CURSOR] = { .type = NLA_U64 },
	[KTRACE_A_PID] = { .type = NLA_U32 },
	[KTRACE_A_KEEP] = { .type = NLA_U64 },
	[KTRACE_A_SESSIONS] = { .type = NLA_BINARY, .len = KTRACE_GATE_SESSIONS * sizeof(u64) },
	[KTRACE_A_UNWIND_LEN] = { .type = NLA_U32 },
	[KTRACE_A_UNWIND_OFFSET] = { .type = NLA_U32 },
	[KTRACE_A_UNWIND_PART] = { .type = NLA_BINARY, .len = KTRACE_UNWIND_PART },
	[KTRACE_A_TRIGGER] = { .type = NLA_BINARY, .len = sizeof(struct ktrace_trigger) },
};

/*
 * Refuses unknown and duplicate attributes. Older kernels skip unknown attributes, and every kernel
 * uses the last one of duplicates.
 */
static int message_check_numbers(const struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	const struct nlattr *attr;
	u64 seen = 0;
	int rem;

	nlmsg_for_each_attr(attr, nlh, GENL_HDRLEN, rem) {
		if (!nla_type(attr) || nla_type(attr) > KTRACE_A_MAX)
			return kt_refuse(extack, -EINVAL, "An attribute is not known.");
		if (seen >> nla_type(attr) & 1)
			return kt_refuse(extack, -EINVAL, "Duplicate attribute.");
		seen |= 1ULL << nla_type(attr);
	}
	return 0;
}

#define OTHER_INTERFACE "The message is not of interface " __stringify(KTRACE_ABI) \
	", which this module has; use the ktrace command that the module came with."

/* A client of another version can compare versions, and can find and end sessions. */
static bool message_is_in_every_interface(u8 cmd)
{
	return cmd == KTRACE_CMD_INFO || cmd == KTRACE_CMD_SESSION_GET ||
	       cmd == KTRACE_CMD_SESSION_DEL;
}

/*
 * Returns -EPERM if the sender may not send the command, -EPROTONOSUPPORT if the request has
 * another version, or -EACCES if lockdown forbids the command.
 */
static int message_check_sender(const struct sk_buff *skb, struct netlink_ext_ack *extack)
{
	const struct genlmsghdr *head = nlmsg_data(nlmsg_hdr(skb));

	if (!kt_sender_may(skb, head->cmd))
		return -EPERM;
	if (head->version != KTRACE_GENL_VERSION && !message_is_in_every_interface(head->cmd))
		return kt_refuse(extack, -EPROTONOSUPPORT, OTHER_INTERFACE);
	return kt_lockdown_refuses(head->cmd) ? -EACCES : 0;
}

int kt_message_check(const struct sk_buff *skb, struct nlattr **attrs, u64 allowed, u64 needed,
		     struct netlink_ext_ack *extack)
{
	int i, error = message_check_sender(skb, extack);

	BUILD_BUG_ON(BITS_PER_BYTE * sizeof(allowed) <= KTRACE_A_MAX);
	if (!error)
		error = message_check_numbers(nlmsg_hdr(skb), extack);
	if (error)
		return error;
	for (i = 1; i <= KTRACE_A_MAX; i++) {
		if (attrs && attrs[i] && !(allowed >> i & 1))
			return kt_refuse(extack, -EINVAL,
					 "The command does not take one of these attributes.");
		if (!(attrs && attrs[i]) && (needed >> i & 1))
			return kt_refuse(extack, -EINVAL, "The command lacks an attribute.");
	}
	/* Members of the group are traced: each hit looks through the list of those who are not. */
	return kt_sender_is_admin(skb) ? kt_filter_own_current() : 0;
}

/* Not every kernel parses the attributes of a dump's request. All of them are numbers. */
int kt_message_parse_dump(struct netlink_callback *cb, struct nlattr **attrs)
{
	struct nlattr *attr;
	int rem, len, error = message_check_sender(cb->skb, kt_dump_extack(cb));

	if (error)
		return error;
	memset(attrs, 0, (KTRACE_A_MAX + 1) * sizeof(*attrs));
	nlmsg_for_each_attr(attr, cb->nlh, GENL_HDRLEN, rem) {
		if (!nla_type(attr) || nla_type(attr) > KTRACE_A_MAX)
			return -EINVAL;
		len = kt_message_policy[nla_type(attr)].type == NLA_U64 ? sizeof(u64) : sizeof(u32);
		if (nla_len(attr) != len)
			return -EINVAL;
		attrs[nla_type(attr)] = attr;
	}
	return 0;
}

struct sk_buff *kt_message_reply(struct genl_info *info, u8 cmd, void **head)
{
	struct sk_buff *skb = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);

	if (!skb)
		return NULL;
	*head = genlmsg_put_reply(skb, info, family, 0, cmd);
	if (*head)
		return skb;
	nlmsg_free(skb);
	return NULL;
}

int kt_message_send(struct genl_info *info, struct sk_buff *skb, void *head, int error)
{
	if (error) {
		nlmsg_free(skb);
		return error;
	}
	genlmsg_end(skb, head);
	return genlmsg_reply(skb, info);
}

void *kt_message_begin(struct sk_buff *skb, const struct netlink_callback *cb, u8 cmd)
{
	return genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, family,
			   NLM_F_MULTI, cmd);
}

int kt_message_put_filler(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd, long *nr)
{
	const struct kt_session *session = (const struct kt_session *)cb->args[0];
	void *head = kt_message_begin(skb, cb, cmd);

	cb->min_dump_alloc = KT_MIN_DUMP_ALLOC;
	if (++*nr > KT_MAX_FILLERS || !head ||
	    nla_put_u64_64bit(skb, KTRACE_A_SESSION, session->id, KTRACE_A_PAD))
		return -ENOBUFS;
	genlmsg_end(skb, head);
	return skb->len;
}

u64 kt_message_socket_of(const struct net *net, u32 portid)
{
	return (u64)kt_net_id(net) << 32 | portid;
}

u64 kt_message_socket(const struct genl_info *info)
{
	return kt_message_socket_of(genl_info_net((struct genl_info *)info), info->snd_portid);
}

struct kt_session *kt_message_find(struct nlattr **attrs)
{
	const char *name;

	if (attrs[KTRACE_A_NAME]) {
		name = nla_data(attrs[KTRACE_A_NAME]);
		return *name ? kt_session_find(0, name) : NULL;
	}
	return kt_session_find(nla_get_u64(attrs[KTRACE_A_SESSION]), NULL);
}

int kt_message_get_session(struct sk_buff *skb, struct genl_info *info, u64 allowed, u64 needed,
			   struct kt_session **session)
{
	u64 keys = MASK(SESSION) | (needed ? 0 : MASK(NAME));
	int error = kt_message_check(skb, info->attrs, keys | allowed | needed, needed,
				     kt_info_extack(info));

	if (error)
		return error;
	if (!info->attrs[KTRACE_A_SESSION] == !info->attrs[KTRACE_A_NAME])
		return kt_refuse(kt_info_extack(info), -EINVAL,
				 "The command needs one of SESSION and NAME.");
	*session = kt_message_find(info->attrs);
	return *session ? 0 : -ENOENT;
}
