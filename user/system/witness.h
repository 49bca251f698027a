/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WITNESS_H
#define WITNESS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * A signal names its sender, but not its other targets. timeout(1), kill -PGID, systemd and
 * pkill -f send a signal to both ktrace and the program, which must not get it twice. The witness
 * is a forked process that blocks all signals: a signal that is pending there was sent to all
 * three. It ends with this process.
 */
pid_t witness_start(void);	/* or -1 */
void witness_end(pid_t witness);

/*
 * For a forked process that may live on: closes all descriptors. The reader of a pipe of ktrace's
 * output must not wait for that process.
 */
void witness_close_all(void);

/* Returns true if the witness got the signal, too. The caller must then start a new witness. */
bool witness_saw(pid_t witness, int number);

#endif
