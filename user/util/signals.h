/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* How often the user asked for an end: SIGINT, SIGTERM, SIGHUP. */
extern volatile int signals_nr_ends;

/* Of these Ctrl-C, or what comes to the same; one that comes twice at once is one. */
extern volatile int signals_nr_interrupts;

/*
 * After signals_init(): they come at any time, not in waits alone. At the end
 * signals_pass_end() ends the process as they would have.
 */
void signals_let_in(void);
void signals_pass_end(void);

/* The next that came, and did not reach the program from the terminal; or 0. */
int signals_take_sent(void);

/* Forgets such a one that came meanwhile. */
void signals_drop(int number);

/* From here on ends are counted and wake waits; if ignored before, SIGTERM and SIGHUP stay so. */
void signals_init(void);

/*
 * The same, and more are taken: all that a program may be told by. SIGINT may stay ignored, too.
 * A program in its own session gets no signal from the terminal: those are taken as well.
 */
void signals_init_for_program(bool has_own_session);

/* After signals_init(): the terminal's changes of size are counted, and wake waits too. */
extern volatile int signals_nr_windows;
void signals_take_windows(void);

/*
 * write(2) to what may not take it for long. An end that comes meanwhile is counted and the write
 * goes on; if it stays blocked, one more ends the process by the signal's default action.
 */
ssize_t signals_write(int fd, const void *data, size_t len);

/* Waits until a signal comes or fd, if it is one, has something to read; at most ms. */
void signals_wait(int fd, long ms);

#endif
