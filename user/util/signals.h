/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* How often the user requested an end: SIGINT, SIGTERM, SIGHUP. */
extern volatile int signals_nr_ends;

/* How many of these were Ctrl-C or a SIGINT from elsewhere. Two at the same time count once. */
extern volatile int signals_nr_interrupts;

/*
 * After signals_init(): signals are handled at any time, not only during waits. At the end,
 * signals_pass_end() ends the process by the default action of the last one.
 */
void signals_let_in(void);
void signals_pass_end(void);

/*
 * Returns the next signal to pass on: one that did not reach the program from the terminal. Returns
 * 0 if there is none.
 */
int signals_take_sent(void);

/* Drops a pending signal, and a signal to pass on, with this number. */
void signals_drop(int number);

/* From now on, ends are counted and wake waits. SIGTERM and SIGHUP stay ignored if they were. */
void signals_init(void);

/*
 * Like signals_init(), and takes more signals, to pass them on to the program. SIGINT stays ignored
 * if it was. A program in its own session gets no signals from the terminal, so these are taken as
 * well.
 */
void signals_init_for_program(bool has_own_session);

/* In a child of the process that took signals: they have their default actions again. */
void signals_give_back(void);

/* After signals_init(): changes of the terminal's size are counted, and wake waits. */
extern volatile int signals_nr_windows;
void signals_take_windows(void);

/*
 * After signals_take_windows(): SIGTSTP, as of Ctrl-Z, stops nothing: it is counted, and wakes
 * waits. SIGCONT counts as a change of the terminal's size. signals_stop() then stops the process,
 * and returns when it goes on.
 */
extern volatile int signals_nr_stops;
void signals_take_stops(void);
void signals_stop(void);

/* Sets what is called before a signal ends the process. It may call what is safe in a handler. */
void signals_set_before_end(void (*fn)(void));

/* After signals_init(): SIGHUP is no end: it is counted, and wakes waits. */
extern volatile int signals_nr_reloads;
void signals_take_reloads(void);

/* From now on, SIGUSR2 is counted, and wakes waits: something is to be saved. */
extern volatile int signals_nr_saves;
void signals_take_saves(void);

/*
 * Like write(2), for a reader that may block for long, or that has set the descriptor to
 * non-blocking. An end that arrives meanwhile is counted,
 * and the write continues. If the write stays blocked, another end kills the process by the
 * signal's default action.
 */
ssize_t signals_write(int fd, const void *data, size_t len);

/*
 * Lets pending ends in, between the steps of long work: an end is counted. If the work has taken
 * longer than a second, another end kills the process by the signal's default action.
 */
void signals_look(void);

/* Waits at most ms, until a signal arrives or fd can be read. fd may be -1. */
void signals_wait(int fd, long ms);
void signals_wait_for_two(int fd, int other, long ms);	/* the same, for two */

#endif
