// SPDX-License-Identifier: GPL-2.0
#include <time.h>

#include "system/cpu_time.h"
#include "util/clock.h"

uint64_t cpu_time_of(const pid_t *pids, size_t nr)
{
	struct timespec time;
	uint64_t ns = 0;
	clockid_t clock;
	size_t i;

	for (i = 0; i < nr; i++)
		if (!clock_getcpuclockid(pids[i], &clock) && !clock_gettime(clock, &time))
			ns += time.tv_sec * CLOCK_SECOND + time.tv_nsec;
	return ns;
}
