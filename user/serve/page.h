/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PAGE_H
#define PAGE_H

#include "serve/asker.h"

/* The form of metrics that it asks for; otherwise, it asks for the text. */
#define PAGE_PROTOBUF "protobuf"

/*
 * Starts the process that serves the page of metrics at an address, or on systemd's socket
 * (listen.h). Returns 0, or -1 with err set.
 */
int page_start(struct asker *asker, const char *address, struct err *err);

/* In a process that is away (away.h): does this on a listener, or at the address if it is -1. */
void page_run_away(const char *address, int reader, int listener);

#endif
