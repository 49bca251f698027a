// SPDX-License-Identifier: GPL-2.0
/*
 * Breakpoints for a filter that has become wider.
 *
 * When a consumer is registered, the kernel plants breakpoints in the existing processes, and calls
 * only the filter of this consumer. So for each site a second consumer, which does nothing, is
 * registered and unregistered. The breakpoints that it planted stay, since the filter of the first
 * consumer accepts these processes.
 */
#include <linux/sched.h>
#include <linux/string.h>

#include "compat/uprobe.h"
#include "core/filter.h"
#include "core/session.h"
#include "lib/mem.h"
#include "uprobe/hold.h"
#include "uprobe/sites.h"

struct nudge {
	struct kt_uprobe uprobe;
	const struct kt_site *site;
};

#define NR_NUDGES 64

static KT_UPROBE_FILTER(widen_is_mm_wanted_now, uc, mm)
{
	const struct kt_site *site = container_of(uc, struct nudge, uprobe.uc)->site;

	return kt_filter_mm(site->session, mm, site->beside);
}

static KT_UPROBE_HANDLER(widen_on_nudge, uc, regs)
{
	return 0;
}

static void widen_nudge_site(struct nudge *nudge, const struct kt_site *site)
{
	memset(nudge, 0, sizeof(*nudge));
	nudge->site = site;
	nudge->uprobe.uc.handler = widen_on_nudge;
	nudge->uprobe.uc.filter = widen_is_mm_wanted_now;
	if (!kt_uprobe_register(&nudge->uprobe, site->inode, site->offset))
		kt_uprobe_unregister_nosync(&nudge->uprobe);
}

int kt_sites_widen(struct kt_session *session, const struct kt_sites *sites)
{
	size_t len = NR_NUDGES * sizeof(struct nudge);
	struct nudge *nudges = kt_mem_alloc(len);
	struct kt_site_set *set;
	u32 nr = 0, i;

	if (!nudges)
		return -ENOMEM;
	/* Unregistering waits for handlers, so held tasks must go on: each of them is a gap. */
	kt_hold_pass(session->hold, true, true);
	list_for_each_entry(set, &sites->sets, node)
		for (i = 0; i < set->nr && !kt_session_is_cancelled(session); i++) {
			if (!set->sites[i].is_planted)
				continue;
			if (nr == NR_NUDGES) {
				kt_uprobe_unregister_sync();
				nr = 0;
			}
			widen_nudge_site(&nudges[nr++], &set->sites[i]);
			cond_resched();
		}
	kt_uprobe_unregister_sync();
	kt_hold_pass(session->hold, false, false);
	kt_mem_free(nudges, len);
	return 0;
}
