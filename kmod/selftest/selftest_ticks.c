// SPDX-License-Identifier: GPL-2.0
/* The clock when the kernel stops trusting the processor's cycles; it never trusts them again. */
#include <linux/delay.h>
#include <linux/types.h>
#include <asm/tsc.h>

#include "lib/clock.h"
#include "lib/ticks.h"
#include "selftest/selftest_parts.h"

#define SPAN_MS 20
#define WAIT_MS 10000
#define PART 4		/* emulated cycles and the clock differ by less than 1/4 of the span */

static void selftest_ticks_wait_for_another_clock(void)
{
	int waited;

	for (waited = 0; READ_ONCE(kt_ticks_are_cycles) && waited < WAIT_MS; waited += SPAN_MS)
		msleep(SPAN_MS);
}

int kt_selftest_ticks(void)
{
	u64 ticks, ns;

	kt_ticks_begin();
	if (!kt_ticks_are_cycles) {
		kt_ticks_end();
		return 0;
	}
	ticks = kt_ticks();
	ns = kt_clock();
	msleep(SPAN_MS);
	mark_tsc_unstable("ktrace's selftest");
	selftest_ticks_wait_for_another_clock();
	kt_claim(!kt_ticks_are_cycles);
	msleep(SPAN_MS);
	ticks = kt_ticks_to_ns(kt_ticks() - ticks);
	ns = kt_clock() - ns;
	kt_claim(ticks > ns - ns / PART && ticks < ns + ns / PART);
	kt_ticks_end();
	return 1;
}
