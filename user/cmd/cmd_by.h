/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CMD_BY_H
#define CMD_BY_H

#include <stdbool.h>

#include "cmd/cmd_gather.h"
#include "report/chosen.h"

/* How to show a table with the keys of --by. */
struct cmd_by {
	const struct ktrace_table *table;	/* the table that the module keeps */
	const char *sort;		/* a column */
	bool with_hist;			/* histograms in place of the table */
	const struct names *names;	/* of functions, if one of the keys is a function */
	const char *note;		/* printed below the table, but not in JSON; or NULL */
};

/* Reads the table of the first session and shows it. Returns 0 or a negative errno. */
int cmd_by_show(const struct cmd_by *by, const struct gather *gather, FILE *out,
		const struct gather_moment *moment);

#endif
