/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_FIGURES_H
#define KT_FIGURES_H

#include <linux/kref.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "core/hist.h"
#include "core/session.h"

struct kt_table;
struct kt_tree;

/* Histograms, tree and table of a session, from one reset to the next. */
struct kt_figures {
	struct kref ref;
	u32 generation;		/* not 0, different after each reset */
	u32 nr_funcs;
	struct kt_hist ***hist;	/* [cpu][func], allocated at the first hit; or NULL */
	struct kt_tree *tree;	/* or NULL */
	struct kt_table *table;	/* or NULL */
};

/*
 * generation is not 0, and different from all earlier ones of the session. Process context.
 * Returns NULL if there is no memory.
 */
struct kt_figures *kt_figures_create(const struct kt_session_config *config, u32 generation);
/* The caller of the last put guarantees that no hit can write to the figures any more. */
void kt_figures_put(struct kt_figures *figures);

/*
 * The tree in which hits count. A hit reads it once: a reset may come during the hit, and a node
 * number is valid in its own tree only.
 */
static inline struct kt_tree *kt_figures_tree(const struct kt_session *session)
{
	return READ_ONCE(session->hot.tree);
}

/* The table of a session with KTRACE_SINK_TABLE. */
static inline struct kt_table *kt_figures_table(const struct kt_session *session)
{
	return READ_ONCE(session->hot.table);
}

/*
 * Counts an event of duration ns in the child of node for func, and returns the child. If there is
 * no room for the child, the event counts in the full node, once. Preemption is off; interrupts are
 * off, too, if interrupts also count in this tree.
 */
u32 kt_figures_add_node(struct kt_session *session, struct kt_tree *tree, u32 node, u32 func,
			u64 duration);

/*
 * Returns the histogram of func. Returns NULL if the session has no histograms, or if there is no
 * memory, which is counted. Any context, preemption off. A hit that counts in several histograms
 * reads cpu->hist once, since a reset may come during the hit.
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
