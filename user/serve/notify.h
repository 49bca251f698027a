/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NOTIFY_H
#define NOTIFY_H

#include <stdint.h>

/*
 * Tells systemd about the state of this process, as sd_notify(3) does: "READY=1", "WATCHDOG=1".
 * Does nothing if systemd does not want to know.
 */
void notify(const char *state);
/* Returns the time, in ns, in which systemd wants to hear of this process; 0: it does not. */
uint64_t notify_watchdog_ns(void);

#endif
