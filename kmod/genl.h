/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_GENL_H
#define KT_GENL_H

#include <linux/types.h>

#include <uapi/ktrace.h>

struct genl_info;
struct kt_session;
struct nlattr;
struct sk_buff;

int kt_genl_init(void);
void kt_genl_exit(void);

#define MASK(a) (1ULL << KTRACE_A_##a)

/* Who may, and with which attributes; every command begins with it. */
int kt_genl_check(const struct sk_buff *skb, struct nlattr **attrs, u64 allowed, u64 needed);
/* The session that NAME or else SESSION names, referenced; NULL: there is none. */
struct kt_session *kt_genl_find(struct nlattr **attrs);
/* The sender, as kt_session_socket() names it. */
u64 kt_genl_socket(const struct genl_info *info);

u32 kt_genl_u32(const struct nlattr *attr, u32 fallback);

/* An answer is begun, filled, and sent, or freed when filling ended with an error. */
struct sk_buff *kt_genl_reply(struct genl_info *info, u8 cmd, void **head);
int kt_genl_send(struct genl_info *info, struct sk_buff *skb, void *head, int error);

/* Process context: a notice to everybody who subscribed. */
void kt_genl_notify(u64 session, u32 event, u32 cpu, int error);
void kt_genl_notify_pid(u64 session, u32 event, pid_t pid);

#endif
