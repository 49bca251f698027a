// SPDX-License-Identifier: GPL-2.0
/* The pools that hits take memory from, all at once. */
#include "core/hist.h"
#include "core/pools.h"
#include "core/shadow.h"
#include "core/table.h"
#include "core/tree.h"
#include "lib/pool.h"

static void pools_trim(size_t keep)
{
	kt_table_trim(keep);
	kt_hist_trim(keep);
	kt_tree_trim(keep);
}

void kt_pools_shrink(void)
{
	pools_trim(KT_POOL_KEEP);
}

void kt_pools_empty(void)
{
	kt_shadow_trim();
	pools_trim(0);
}
