/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_NOTIFY_H
#define KT_NOTIFY_H

#include <linux/types.h>

struct genl_family;

/* Before the family is registered. */
void kt_notify_init(struct genl_family *of);

/* Process context: a notice to everybody who subscribed. */
void kt_notify(u64 session, u32 event, u32 cpu, int error);
void kt_notify_pid(u64 session, u32 event, pid_t pid);

#endif
