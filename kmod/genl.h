/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_GENL_H
#define KT_GENL_H

#include <linux/types.h>

int kt_genl_init(void);
void kt_genl_exit(void);

/* Process context: a notice to everybody who subscribed. */
void kt_genl_notify(u64 session, u32 event, u32 cpu, int error);

#endif
