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

/* All functions: process context. A negative errno is the answer to the sender. */

extern const struct nla_policy kt_message_policy[];

/* Before the family is registered: answers are messages of this family. */
void kt_message_init(struct genl_family *of);

#define MASK(a) (1ULL << KTRACE_A_##a)

/*
 * Every command begins with it: may the sender trace, does the sender speak this interface, and
 * are all attributes in allowed, and all of needed there? Both are masks of MASK().
 */
int kt_message_check(const struct sk_buff *skb, struct nlattr **attrs, u64 allowed, u64 needed,
		     struct netlink_ext_ack *extack);
/* Fills attrs[KTRACE_A_MAX + 1] with the request of a dump, whose attributes are numbers. */
int kt_message_parse_dump(struct netlink_callback *cb, struct nlattr **attrs);

/* Returns the session that NAME or SESSION names, with a reference, or NULL. */
struct kt_session *kt_message_find(struct nlattr **attrs);
/*
 * kt_message_check() for a command on a session. NAME may name the session if the command needs
 * no attribute. On success the caller has a reference.
 */
int kt_message_get_session(struct sk_buff *skb, struct genl_info *info, u64 allowed, u64 needed,
			   struct kt_session **session);

/* A number for a socket, never 0. The second is the number of the sender's socket. */
u64 kt_message_socket_of(const struct net *net, u32 portid);
u64 kt_message_socket(const struct genl_info *info);

/* Begins an answer. Returns NULL if there is no memory. */
struct sk_buff *kt_message_reply(struct genl_info *info, u8 cmd, void **head);
/* Sends the answer; error: of filling it, which frees it instead and is returned. */
int kt_message_send(struct genl_info *info, struct sk_buff *skb, void *head, int error);

#define KT_MIN_DUMP_ALLOC 16384	/* one message with every bucket, or a packet, fits */
#define KT_MAX_FILLERS 16	/* of one dump */

/* Begins a message of a dump. Returns NULL if skb has no room. */
void *kt_message_begin(struct sk_buff *skb, const struct netlink_callback *cb, u8 cmd);
/*
 * Puts a message that contains the number of the session only (cb->args[0]). The first message of
 * a dump is one, because the kernel's first skb of a dump is small. Later one stands in where an
 * skb is still too small: an empty answer would end the dump. nr counts them. Returns what the
 * dump callback returns.
 */
int kt_message_put_filler(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd, long *nr);

#endif
