// SPDX-License-Identifier: GPL-2.0
#include <time.h>

#include "util/clock.h"

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * CLOCK_SECOND + now.tv_nsec;
}

uint64_t clock_now_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t clock_cpu_ns(void)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

static struct {
	clock_fn *fn;	/* NULL: here and now */
	const void *arg;
} realtime;

void clock_set_realtime(clock_fn *fn, const void *arg)
{
	realtime.fn = fn;
	realtime.arg = arg;
}

uint64_t clock_realtime_of(uint64_t monotonic_ns)
{
	uint64_t now;

	if (realtime.fn)
		return realtime.fn(realtime.arg, monotonic_ns);
	now = read_clock(CLOCK_MONOTONIC);
	return monotonic_ns + read_clock(CLOCK_REALTIME) - now;
}
