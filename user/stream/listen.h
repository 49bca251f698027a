/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LISTEN_H
#define LISTEN_H

#include <stdbool.h>

#include "util/err.h"

/*
 * Returns a listening, non-blocking TCP socket: the one that systemd has passed on (LISTEN_FDS), or
 * one that is bound to "ADDRESS:PORT", "[ADDRESS]:PORT", or "PORT" of 127.0.0.1. Addresses are
 * numbers. address may be NULL if systemd passes one on. Returns -1 with err set.
 */
int listen_open(const char *address, struct err *err);

/* Returns true if text is an address for listen_open(). */
bool listen_is_address(const char *text);

/* Returns true if systemd has passed a socket on. */
bool listen_is_passed(void);

#endif
