/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_NOTICES_H
#define KT_NOTICES_H

struct genl_family;

/*
 * Between these calls the events of sessions are sent as notices. Init is called before the family
 * is registered, exit after it is unregistered. Process context.
 */
void kt_notices_init(struct genl_family *of);
void kt_notices_exit(void);

#endif
