/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SYSENTER_H
#define KT_SYSENTER_H

struct kt_provider;

extern const struct kt_provider kt_sysenter_provider;	/* times of entry and exit, by null calls */

#endif
