/* SPDX-License-Identifier: GPL-2.0 */
/* The tabs of ktrace top: what each counts, and which of the tables of other commands it shows. */
#ifndef TOP_TABS_H
#define TOP_TABS_H

#include <stdio.h>

#include "client/client.h"
#include "report/profile.h"
#include "report/syscalls.h"

#define TOP_NR_TABS 3
#define TOP_TAB_NAMES "functions|syscalls|disks"

/* The figures of one window: those of one tab, or none. */
struct top_figures {
	const struct top_tab *tab;	/* NULL: none */
	struct profile profile;
	struct syscalls syscalls;
	struct table requests;
};

/* Where the figures come from. */
struct top_source {
	struct ktr *ktr;
	const struct ktr_session *session;
	const struct stacks *stacks;
	uint32_t read_flags;
	uint64_t duration_ns;		/* of the window */
};

/* Which rows are shown. */
struct top_rows {
	const char *filter;	/* top_filter_has() */
	size_t nr_lines;	/* room, also for the titles; 0: no limit */
};

struct top_tab {
	const char *name;	/* of --tab */
	const char *title;
	uint32_t provider, sinks;	/* of its session */
	const char *what;	/* the session counts them */
	const char *key;	/* the names that a filter looks at */
	const char *orders[6];	/* names of columns, up to NULL; the first is the default */
	int (*read)(struct top_figures *figures, const struct top_source *source);
	void (*sort)(struct top_figures *figures, const char *order);
	void (*print_head)(FILE *out, const struct top_figures *figures);	/* or NULL: an empty line */
	void (*print)(FILE *out, const struct top_figures *figures, const struct top_rows *rows);
};

extern const struct top_tab top_tabs[TOP_NR_TABS];

size_t top_tab_nr_orders(const struct top_tab *tab);

/* Returns 0 or a negative errno. The figures point to nothing of the source's stacks. */
int top_figures_read(struct top_figures *figures, const struct top_tab *tab,
		     const struct top_source *source);
void top_figures_free(struct top_figures *figures);

#endif
