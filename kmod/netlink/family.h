/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_FAMILY_H
#define KT_FAMILY_H

/* Registers and unregisters the family. Process context. */
int kt_family_init(void);
void kt_family_exit(void);

#endif
