/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SENDER_H
#define KT_SENDER_H

#include <linux/types.h>

struct sk_buff;

/* skb is a request. Both are called in the context of its send(). */

/* Returns true if the sender and the opener of the socket have CAP_SYS_ADMIN. */
bool kt_sender_is_admin(const struct sk_buff *skb);
/*
 * Returns true if the sender may send this command: an administrator any, a member of the module's
 * group those that only read.
 */
bool kt_sender_may(const struct sk_buff *skb, u8 cmd);

#endif
