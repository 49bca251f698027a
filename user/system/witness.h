/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WITNESS_H
#define WITNESS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * A signal says its sender, not its target. timeout(1), kill -PGID, systemd and
 * pkill -f send one to ktrace and to the program alike, which must not get it twice.
 * So a process waits beside them that lets all signals pend: what it has, all have.
 * It ends with this process.
 */
pid_t witness_start(void);	/* or -1 */
void witness_end(pid_t witness);

/* Was it sent the signal too? Then it has to be started anew. */
bool witness_saw(pid_t witness, int number);

#endif
