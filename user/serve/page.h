/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PAGE_H
#define PAGE_H

#include "serve/asker.h"

/* The form of metrics that it asks for; otherwise, it asks for the text. */
#define PAGE_PROTOBUF "protobuf"

/*
 * Starts the process that serves the page of metrics on a listening socket (listen.h), which it
 * closes here. Returns 0, or -1 with err set.
 */
int page_start(struct asker *asker, int listener, struct err *err);

#endif
