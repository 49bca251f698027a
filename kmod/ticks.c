// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/time.h>

#include "arch.h"
#include "ticks.h"

u64 kt_ticks_mult __read_mostly;

void kt_ticks_choose(void)
{
	u32 khz = kt_arch_cycles_khz();

	kt_ticks_mult = khz ? div_u64(NSEC_PER_MSEC * (1ULL << 32), khz) : 0;
}
