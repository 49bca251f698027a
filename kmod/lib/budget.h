/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BUDGET_H
#define KT_BUDGET_H

#include <linux/types.h>

/*
 * Expensive work of hits may take a quarter of each tick of a CPU, for all sessions together.
 * Without a limit, the hits in a tick interrupt could take longer than the time to the next tick.
 * Interrupts are off; not in an NMI. Returns false if the budget of this tick is used up.
 */
bool kt_budget_begin(u64 *start);
void kt_budget_end(u64 start);

#endif
