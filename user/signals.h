/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <stdbool.h>

/* How often the user asked for an end: SIGINT, SIGTERM, SIGHUP. */
extern volatile int signals_nr_ends;

/* Those that were sent to this process alone, not typed at the terminal: to be passed on. */
int signals_take_sent(void);

/* From here on ends are counted and wake waits; a signal ignored before stays so. */
void signals_init(void);

/* Waits until a signal comes or fd, if it is one, has something to read; at most ms. */
void signals_wait(int fd, long ms);

#endif
