// SPDX-License-Identifier: GPL-2.0
#include <time.h>

#include "util/clock.h"

uint64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * CLOCK_SECOND + now.tv_nsec;
}

static uint64_t ns_of(const struct timespec *time)
{
	return time->tv_sec * CLOCK_SECOND + time->tv_nsec;
}

uint64_t clock_realtime_of(uint64_t monotonic_ns)
{
	struct timespec mono, real;

	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_REALTIME, &real);
	return monotonic_ns + ns_of(&real) - ns_of(&mono);
}
