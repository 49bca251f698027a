/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_FAULT_H
#define KT_FAULT_H

struct kt_provider;

extern const struct kt_provider kt_fault_provider;	/* page faults of programs */

#endif
