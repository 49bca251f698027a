/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_FIGURES_H
#define KT_FIGURES_H

#include <linux/kref.h>
#include <linux/types.h>

struct kt_hist;
struct kt_session_config;
struct kt_tree;

/* One generation of what a session aggregates: from a reset to the next. */
struct kt_figures {
	struct kref ref;
	u32 nr_funcs;
	struct kt_hist ***hist;	/* [cpu][func], from the pool when hit; NULL: none kept */
	struct kt_tree *tree;	/* or NULL */
};

/* Process context; NULL: no memory. generation: not 0, new for each of a session. */
struct kt_figures *kt_figures_create(const struct kt_session_config *config, u32 generation);
/* The caller guarantees that no hit can write to it any more. */
void kt_figures_put(struct kt_figures *figures);

#endif
