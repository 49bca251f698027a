/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CPU_TIME_H
#define CPU_TIME_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Returns the CPU time of these processes so far, in ns. A process that has ended counts 0. */
uint64_t cpu_time_of(const pid_t *pids, size_t nr);

#endif
