/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_NOTICES_H
#define KT_NOTICES_H

struct genl_family;

/* From before the family is registered until after it is not: events of sessions become notices. */
void kt_notices_init(struct genl_family *of);
void kt_notices_exit(void);

#endif
