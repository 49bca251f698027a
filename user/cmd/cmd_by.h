/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CMD_BY_H
#define CMD_BY_H

#include <stdbool.h>

#include "cmd/cmd_gather.h"
#include "report/chosen.h"

/* How a table with the keys of --by is shown. */
struct cmd_by {
	const struct ktrace_table *table;	/* what the module was asked for */
	const char *sort;		/* a column */
	bool with_hist;			/* histograms in place of the table */
	const struct names *names;	/* of functions, if a key is one */
	const char *note;		/* below the table, but not in JSON; or NULL */
};

/* Reads and shows it, of the first session. Returns 0 or a negative errno. */
int cmd_by_show(const struct cmd_by *by, const struct gather *gather, FILE *out,
		const struct gather_moment *moment);

#endif
