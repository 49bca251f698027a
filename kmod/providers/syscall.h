/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SYSCALL_H
#define KT_SYSCALL_H

struct kt_provider;

extern const struct kt_provider kt_syscall_provider;

#endif
