/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Figures that are sums: KT_SUM(id, name of the column, unit, member). The id is that of enum
 * ktrace_figure. A file that includes this one defines KT_SUM. A figure here is a member of
 * histograms and of what they add up to (hist.h), and a value of tables (table_dump.c).
 */
KT_SUM(ENTRIES, "entries", "calls", entries);
KT_SUM(SUM, "sum", "ns", sum_ns);	/* of all calls */
KT_SUM(SELF, "self", "ns", self_ns);
KT_SUM(ERRORS, "errors", "calls", errors);
KT_SUM(BYTES, "bytes", "bytes", bytes);
KT_SUM(GAPS, "gaps", "gaps", gaps);	/* from one call of a task to its next, see ktrace.h */
KT_SUM(GAP_TIME, "gap_time", "ns", gap_ns);
KT_SUM(PAGE_HITS, "page_hits", "pages", page_hits);
KT_SUM(PAGE_MISSES, "page_misses", "pages", page_misses);
KT_SUM(PAGES_AHEAD, "pages_ahead", "pages", pages_ahead);
KT_SUM(PAGES_DIRTIED, "pages_dirtied", "pages", pages_dirtied);
KT_SUM(AT_MOST, "at_most", "calls", at_most);	/* ended unseen: in none of the times above */
KT_SUM(AT_MOST_TIME, "at_most_time", "ns", at_most_ns);
KT_SUM(AT_MOST_SELF, "at_most_self", "ns", at_most_self_ns);	/* what self_ns does not include */
#undef KT_SUM
