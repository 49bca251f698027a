/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_GENL_H
#define KT_GENL_H

#include <linux/types.h>

#include <uapi/ktrace.h>

struct genl_info;
struct kt_session;
struct netlink_callback;
struct netlink_ext_ack;
struct net;
struct nlattr;
struct sk_buff;

int kt_genl_init(void);
void kt_genl_exit(void);

#define MASK(a) (1ULL << KTRACE_A_##a)

/* Who may, and with which attributes; every command begins with it. */
int kt_genl_check(const struct sk_buff *skb, struct nlattr **attrs, u64 allowed, u64 needed,
		  struct netlink_ext_ack *extack);
/* The same for a command on a session, by number, or by name where no attribute is needed. */
int kt_genl_get(struct sk_buff *skb, struct genl_info *info, u64 allowed, u64 needed,
		struct kt_session **session);
/* A number for a socket, never 0; of the sender. */
u64 kt_genl_socket_of(const struct net *net, u32 portid);
u64 kt_genl_socket(const struct genl_info *info);

/* An answer is begun, filled, and sent, or freed when filling ended with an error. */
struct sk_buff *kt_genl_reply(struct genl_info *info, u8 cmd, void **head);
int kt_genl_send(struct genl_info *info, struct sk_buff *skb, void *head, int error);

#define KT_MIN_DUMP_ALLOC 16384	/* one message with every bucket, or a packet, fits */
#define KT_MAX_FILLERS 16	/* of one dump */

/* A message of a dump is begun; NULL: there is no room. */
void *kt_genl_begin(struct sk_buff *skb, const struct netlink_callback *cb, u8 cmd);
/*
 * One that has the session alone, which is cb->args[0]: the first, since the kernel's first skb
 * of a dump is small, and later where one is small all the same: an empty one would end the
 * dump. nr: of these so far. Returns what the dump does.
 */
int kt_genl_put_filler(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd, long *nr);

#endif
