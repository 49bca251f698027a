/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_MESSAGE_H
#define KT_MESSAGE_H

#include <linux/types.h>

#include <uapi/ktrace.h>

struct genl_family;
struct genl_info;
struct kt_session;
struct net;
struct netlink_callback;
struct netlink_ext_ack;
struct nla_policy;
struct nlattr;
struct sk_buff;

/* All functions: process context. The sender gets a negative errno as the answer. */

extern const struct nla_policy kt_message_policy[];

/* Sets the family of all answers. Called before the family is registered. */
void kt_message_init(struct genl_family *of);

#define MASK(a) (1ULL << KTRACE_A_##a)

/*
 * Every command begins with this check. The sender must have the right to send it (sender.h), and
 * the version of the request must be KTRACE_GENL_VERSION (INFO, SESSION_GET and SESSION_DEL: any).
 * The request may have attributes of allowed only, and must have all attributes of needed; both are
 * masks of MASK(). After a successful check the process of an administrator is never traced.
 */
int kt_message_check(const struct sk_buff *skb, struct nlattr **attrs, u64 allowed, u64 needed,
		     struct netlink_ext_ack *extack);
/* Fills attrs[KTRACE_A_MAX + 1] from the request of a dump, whose attributes are numbers. */
int kt_message_parse_dump(struct netlink_callback *cb, struct nlattr **attrs);

/* Finds the session of NAME or SESSION. Returns it with a reference, or NULL. */
struct kt_session *kt_message_find(struct nlattr **attrs);
/*
 * kt_message_check() for a command on a session, which it then finds. NAME can identify the session
 * if needed is 0. On success the caller has a reference to the session. Returns -ENOENT if there is
 * no such session.
 */
int kt_message_get_session(struct sk_buff *skb, struct genl_info *info, u64 allowed, u64 needed,
			   struct kt_session **session);

/*
 * Return the number of a socket, which is never 0. kt_message_socket() returns the number of the
 * sender's socket.
 */
u64 kt_message_socket_of(const struct net *net, u32 portid);
u64 kt_message_socket(const struct genl_info *info);

/* Begins an answer, whose header is *head. Returns NULL if there is no memory. */
struct sk_buff *kt_message_reply(struct genl_info *info, u8 cmd, void **head);
/*
 * Sends the answer. If error is not 0 (filling the answer failed), frees the answer instead, and
 * returns error.
 */
int kt_message_send(struct genl_info *info, struct sk_buff *skb, void *head, int error);

#define KT_MIN_DUMP_ALLOC 16384	/* bytes: a message with every bucket, or with a packet */
#define KT_MAX_FILLERS 16	/* in one dump */

/* Begins a message of a dump. Returns NULL if skb has no room. */
void *kt_message_begin(struct sk_buff *skb, const struct netlink_callback *cb, u8 cmd);
/*
 * Puts a filler: a message that contains only the number of the session (cb->args[0]). A dump
 * begins with a filler, because the kernel's first skb of a dump is small. A later filler takes the
 * place of a message that does not fit in its skb: an empty answer would end the dump. *nr counts
 * the fillers. Returns the value that the dump callback returns: the length of skb, or -ENOBUFS if
 * a filler does not fit, or after KT_MAX_FILLERS fillers.
 */
int kt_message_put_filler(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd, long *nr);

#endif
