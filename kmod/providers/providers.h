/* SPDX-License-Identifier: GPL-2.0 */
/* A provider is one more file, a line here, and a line in session/provider_list.c. */
#ifndef KT_PROVIDERS_H
#define KT_PROVIDERS_H

struct kt_provider;

extern const struct kt_provider kt_block_provider;
extern const struct kt_provider kt_fault_provider;
extern const struct kt_provider kt_kfunc_provider;
extern const struct kt_provider kt_profile_provider;
extern const struct kt_provider kt_sched_provider;
extern const struct kt_provider kt_syscall_provider;
extern const struct kt_provider kt_sysenter_provider;
extern const struct kt_provider kt_virtio_provider;

#endif
