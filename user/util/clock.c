// SPDX-License-Identifier: GPL-2.0
#include <time.h>

#include "util/clock.h"

uint64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * CLOCK_SECOND + now.tv_nsec;
}
