/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes of pages that enter the page cache, and of pages that become dirty. They run in the task
 * that adds or dirties the pages, under its locks. A folio may be several pages.
 */
#ifndef KT_COMPAT_PAGE_EVENTS_H
#define KT_COMPAT_PAGE_EVENTS_H

#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>

/* A probe of pages that were added: their mapping and index are set. */
#ifdef KT_HAVE_ADDED_FOLIO
#define KT_ON_PAGES_ADDED(name, pages) void name(void *data, struct folio *pages)
static inline u32 kt_nr_added(struct folio *pages)
{
	return folio_nr_pages(pages);
}
#else
#define KT_ON_PAGES_ADDED(name, pages) void name(void *data, struct page *pages)
static inline u32 kt_nr_added(struct page *pages)
{
	return 1;
}
#endif

#ifdef KT_HAVE_DIRTY_FOLIO
#define KT_DIRTIED_EVENT writeback_dirty_folio
#define KT_ON_PAGES_DIRTIED(name, pages)					\
	void name(void *data, struct folio *pages, struct address_space *mapping)
static inline u32 kt_nr_dirtied(struct folio *pages)
{
	return folio_nr_pages(pages);
}
#else
#define KT_DIRTIED_EVENT writeback_dirty_page
#define KT_ON_PAGES_DIRTIED(name, pages)					\
	void name(void *data, struct page *pages, struct address_space *mapping)
static inline u32 kt_nr_dirtied(struct page *pages)
{
	return 1;
}
#endif

#endif
