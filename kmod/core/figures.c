// SPDX-License-Identifier: GPL-2.0
/* Histograms, tree and table of a session, which a reset replaces as a whole. */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/sched.h>

#include "core/figures.h"
#include "core/hist.h"
#include "core/provider.h"
#include "core/session.h"
#include "core/table.h"
#include "core/tree.h"
#include "lib/mem.h"

static size_t figures_hists_len(u32 nr_funcs)
{
	return max_t(size_t, nr_funcs * sizeof(struct kt_hist *), 1);
}

static bool figures_make_hists(struct kt_figures *figures)
{
	int cpu;

	figures->hist = kt_mem_alloc(nr_cpu_ids * sizeof(*figures->hist));
	if (!figures->hist)
		return false;
	for_each_possible_cpu(cpu) {
		figures->hist[cpu] = kt_mem_alloc(figures_hists_len(figures->nr_funcs));
		if (!figures->hist[cpu])
			return false;
	}
	return true;
}

static void figures_put_hists(struct kt_figures *figures)
{
	struct kt_hist **hist;
	u32 func;
	int cpu;

	if (!figures->hist)
		return;
	for_each_possible_cpu(cpu) {
		hist = figures->hist[cpu];
		for (func = 0; hist && func < figures->nr_funcs; func++) {
			cond_resched();
			kt_hist_put(hist[func]);
		}
		kt_mem_free(hist, figures_hists_len(figures->nr_funcs));
	}
	kt_mem_free(figures->hist, nr_cpu_ids * sizeof(*figures->hist));
}

static void figures_release(struct kref *ref)
{
	struct kt_figures *figures = container_of(ref, struct kt_figures, ref);

	kt_table_put(figures->table);
	kt_tree_put(figures->tree);
	figures_put_hists(figures);
	kt_mem_free(figures, sizeof(*figures));
}

struct kt_figures *kt_figures_create(const struct kt_session_config *config, u32 generation)
{
	struct kt_figures *figures = kt_mem_alloc(sizeof(*figures));

	if (!figures)
		return NULL;
	kref_init(&figures->ref);
	figures->generation = generation;
	figures->nr_funcs = config->nr_funcs;
	if ((config->sinks & (KTRACE_SINK_HIST | KTRACE_SINK_COUNT)) &&
	    !figures_make_hists(figures))
		goto put;
	if (config->sinks & KTRACE_SINK_TREE) {
		figures->tree = kt_tree_create(config->max_nodes, generation);
		if (!figures->tree)
			goto put;
		figures->tree->keeps_max = config->provider->keeps_max;
	}
	if (config->sinks & KTRACE_SINK_TABLE) {
		figures->table = kt_table_create(&config->table);
		if (!figures->table)
			goto put;
	}
	return figures;
put:
	kt_figures_put(figures);
	return NULL;
}

void kt_figures_put(struct kt_figures *figures)
{
	if (figures)
		kref_put(&figures->ref, figures_release);
}

u32 kt_figures_add_node(struct kt_session *session, struct kt_tree *tree, u32 node, u32 func,
			u64 duration)
{
	if (kt_tree_is_full(tree, node))
		return node;
	node = kt_tree_child(tree, node, func);
	if (!kt_tree_add(tree, node, duration, 0))
		this_cpu_inc(session->hot.cpu->counters.lost_pool);
	else if (kt_tree_is_full(tree, node))
		this_cpu_inc(session->hot.cpu->counters.lost_tree);
	return node;
}
