/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_KFUNC_H
#define KT_KFUNC_H

struct kt_provider;

extern const struct kt_provider kt_kfunc_provider;

#endif
