/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PUSH_H
#define PUSH_H

#include "serve/asker.h"

/* The form of metrics that it asks for: requests of OTLP, each behind its length as uint32_t. */
#define PUSH_FORM "otlp"

/*
 * Starts the process that sends metrics to a server of OTLP, every interval (ns), and reports to
 * words when the server goes and comes. Returns 0, or -1 with err set.
 */
int push_start(struct asker *asker, const char *url, uint64_t interval, FILE *words, struct err *err);

/* In a process that is away (away.h): does this, and reports to stderr. */
void push_run_away(const char *url, int reader, uint64_t interval);

#endif
