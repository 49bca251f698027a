/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_GENL_H
#define KT_GENL_H

/* Registers and unregisters the family. Process context. */
int kt_genl_init(void);
void kt_genl_exit(void);

#endif
