/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TEXTFILE_H
#define TEXTFILE_H

#include "stream/metrics.h"
#include "util/err.h"

/*
 * The file FOLDER/ktrace.prom for the textfile collector of node_exporter. Everybody may read it. It
 * is replaced as a whole, so a reader never sees a part of it; if it cannot be replaced, the old one
 * stays. Each returns 0, or -1 with err set.
 */
int textfile_write(const char *folder, const struct metrics *metrics, struct err *err);
/* At the end: a file that stays would report old figures as those of now. */
int textfile_remove(const char *folder, struct err *err);

#endif
