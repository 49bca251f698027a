/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BUDGET_H
#define KT_BUDGET_H

#include <linux/types.h>

/*
 * What costs a hit much more than it costs otherwise has a quarter of each tick of a CPU, all
 * sessions together: what is called in the tick itself could take longer than until the next
 * one. Interrupts off, not in an NMI. False: that is used up.
 */
bool kt_budget_begin(u64 *start);
void kt_budget_end(u64 start);

#endif
