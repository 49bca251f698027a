/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_FIGURES_H
#define KT_FIGURES_H

#include <linux/kref.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "core/hist.h"
#include "session.h"

struct kt_table;
struct kt_tree;

/* One generation of what a session aggregates: from a reset to the next. */
struct kt_figures {
	struct kref ref;
	u32 generation;		/* of the session's */
	u32 nr_funcs;
	struct kt_hist ***hist;	/* [cpu][func], from the pool when hit; NULL: none kept */
	struct kt_tree *tree;	/* or NULL */
	struct kt_table *table;	/* or NULL */
};

/* Process context; NULL: no memory. generation: not 0, new for each of a session. */
struct kt_figures *kt_figures_create(const struct kt_session_config *config, u32 generation);
/* The caller guarantees that no hit can write to it any more. */
void kt_figures_put(struct kt_figures *figures);

/*
 * Where hits put nodes. Read once a hit: a reset may come amid it, and a node is a number of its
 * own tree's.
 */
static inline struct kt_tree *kt_figures_tree(const struct kt_session *session)
{
	return READ_ONCE(session->hot.tree);
}

/* The rows of a session with KTRACE_SINK_TABLE. */
static inline struct kt_table *kt_figures_table(const struct kt_session *session)
{
	return READ_ONCE(session->hot.table);
}

/*
 * Preemption off, and interrupts where they count too: in the child of node that is func,
 * which is returned; what has no place of its own is counted in the full one, once.
 */
u32 kt_figures_add_node(struct kt_session *session, struct kt_tree *tree, u32 node, u32 func,
			u64 duration);

/*
 * Any context, preemption off: of a function. NULL: none is kept, or its loss is counted. A hit
 * that counts in several reads the CPU's once: a reset may come amid it.
 */
static inline struct kt_hist *kt_figures_hist_of(struct kt_session_cpu *cpu,
						 struct kt_hist **hists, u32 func)
{
	struct kt_hist *hist;

	if (!hists)
		return NULL;
	hist = hists[func];
	if (likely(hist))
		return hist;
	hist = kt_hist_get(&hists[func]);
	if (!hist)
		cpu->counters.lost_pool++;
	return hist;
}

static inline struct kt_hist *kt_figures_hist(struct kt_session_cpu *cpu, u32 func)
{
	return kt_figures_hist_of(cpu, READ_ONCE(cpu->hist), func);
}

#endif
