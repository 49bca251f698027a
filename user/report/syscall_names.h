/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SYSCALL_NAMES_H
#define SYSCALL_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#define SYSCALL_NAME_LEN 32

/* func as in ktrace.h. Returns NULL if the call has no known name. */
const char *syscall_name(uint32_t func);
/* Writes a name, or a number if there is no name, to text. Returns text. */
const char *syscall_text(char text[SYSCALL_NAME_LEN], uint32_t func);
/* Returns true for a 32-bit system call. */
bool syscall_is_compat(uint32_t func);

#endif
