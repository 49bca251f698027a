/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TEXTFILE_H
#define TEXTFILE_H

#include <stdio.h>

#include "stream/metrics.h"
#include "util/err.h"

/* A file of metrics that another program on the machine reads. */
struct textfile {
	const char *name;
	void (*print)(FILE *out, const struct metrics *metrics);
	const char *advice;	/* if it cannot be written */
};

/* For the textfile collector of node_exporter, and for collectd's plugin exec. */
extern const struct textfile textfile_node, textfile_collectd;

/*
 * Everybody may read the file. It is replaced as a whole, so a reader never sees a part of it; if it
 * cannot be replaced, the old one stays. Each returns 0, or -1 with err set.
 */
int textfile_write(const struct textfile *of, const char *folder, const struct metrics *metrics,
		   struct err *err);
/* At the end: a file that stays would report old figures as those of now. */
int textfile_remove(const struct textfile *of, const char *folder, struct err *err);

#endif
