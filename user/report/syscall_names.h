/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SYSCALL_NAMES_H
#define SYSCALL_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#define SYSCALL_NAME_LEN 32

/* func as in ktrace.h: its name, or NULL. */
const char *syscall_name(uint32_t func);
/* What it is called in any case; returns text. */
const char *syscall_text(char text[SYSCALL_NAME_LEN], uint32_t func);
/* Is it one of 32 bits? */
bool syscall_is_compat(uint32_t func);

#endif
