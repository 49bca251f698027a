/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FOLDERS_H
#define FOLDERS_H

#include <stdbool.h>
#include <stdint.h>

/* The folders of a recording's sessions: "syscalls", and "syscalls-2" for a second one. */

/* Returns the name for the first session of a provider, enum ktrace_provider. */
const char *folder_of_provider(uint32_t provider);
bool folder_is_of_session(const char *name);

#endif
