/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A terminal that shows pictures: it has a screen of its own, keys can be read as they are pressed,
 * and nothing is echoed. Standard output is the terminal.
 */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stddef.h>
#include <sys/types.h>

#include "util/err.h"

/*
 * Takes the terminal. It is given back at exit, and before a signal ends the process, also after a
 * crash. Returns 0, or -1 with err set. When it is taken already, its modes are set again: another
 * process may have changed them while this one was stopped.
 */
int terminal_take(struct err *err);
/* Makes it what it was before. Safe in signal handlers. */
void terminal_give(void);

/* The descriptor that has the keys. */
int terminal_fd(void);
/* Reads keys that were pressed. Returns their bytes, 0: none, -1: the terminal is gone. */
ssize_t terminal_read(char *to, size_t len);

#endif
