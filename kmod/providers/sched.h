/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SCHED_H
#define KT_SCHED_H

struct kt_provider;

extern const struct kt_provider kt_sched_provider;

#endif
