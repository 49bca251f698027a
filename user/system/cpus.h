/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CPUS_H
#define CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* Parses the number of a CPU. Returns it, or -1 with err set. */
int cpus_parse(const char *text, struct err *err);

/*
 * Returns the last CPU that this process may run on, because the first CPUs usually handle most
 * interrupts. Returns -1 if it is unknown.
 */
int cpus_choose(void);

/*
 * Returns how many CPUs this kernel has room for, present or not: buffers per CPU are allocated for
 * each of them.
 */
unsigned int cpus_possible(void);

#define CPUS_ONLINE "/sys/devices/system/cpu/online"

/*
 * Reads the numbers of CPUs in a file such as CPUS_ONLINE ("0-3,8"), and returns how many. The
 * caller frees the list.
 */
size_t cpus_list(int32_t **cpus, const char *path);

/* Returns true if QEMU emulates this processor: costs of instructions are then not realistic. */
bool cpus_are_emulated(void);

/* Binds the calling thread to a CPU. Returns 0 or a positive errno. */
int cpus_pin(int cpu);

/* Sets err to the reason why cpus_pin() failed with this error. Returns -1. */
int cpus_explain(int cpu, int error, struct err *err);

#endif
