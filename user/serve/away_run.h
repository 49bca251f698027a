/* SPDX-License-Identifier: GPL-2.0 */
#ifndef AWAY_RUN_H
#define AWAY_RUN_H

#include "util/err.h"

/*
 * Becomes the process that a reader has asked for by standard input (away.h): a sender, or a process
 * of metrics. Returns -1 with err set if it cannot.
 */
int away_run(struct err *err);

#endif
