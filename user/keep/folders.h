/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KEPT_FOLDERS_H
#define KEPT_FOLDERS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The names in a recording. The folders of its sessions are "syscalls", and "syscalls-2" for a second
 * one.
 */

#define FACTS_NAME "ktrace.jsonl"

/* Returns the name for the first session of a provider, enum ktrace_provider. */
const char *folder_of_provider(uint32_t provider);
bool folder_is_of_session(const char *name);
/* Is this the name of the packets of a CPU, "stream_1"? Then sets *cpu. */
bool folder_is_stream(const char *name, uint32_t *cpu);

#endif
