/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CPU_TIME_H
#define CPU_TIME_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ns on all CPUs that these processes have had so far; one that has gone has had none. */
uint64_t cpu_time_of(const pid_t *pids, size_t nr);

#endif
