/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SELFTEST_PARTS_H
#define KT_SELFTEST_PARTS_H

#include <linux/types.h>

/* Returns is_so. Logs the first claim that is not so. Any context but NMI. */
bool kt_selftest_claim(bool is_so, const char *claim, const char *file, int line);
#define kt_claim(claim) kt_selftest_claim(claim, #claim, __FILE__, __LINE__)
bool kt_selftest_has_failed(void);

/* Each returns how many tests ran. */
int kt_selftest_ring(void);
int kt_selftest_shadow(void);
int kt_selftest_ticks(void);

/* hit runs in an NMI on each CPU to which kt_selftest_nmi_send() sends one. */
int kt_selftest_nmi_init(void (*hit)(void));
void kt_selftest_nmi_send(int cpu);
void kt_selftest_nmi_exit(void);

#endif
