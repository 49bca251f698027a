/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file that a bio reads or writes pages of, where that is beyond doubt.
 *
 * What is between disk and page cache is locked and not up to date while it is read, and under
 * writeback while it is written, which keeps its inode, too. The buffer of a direct read is
 * in somebody's memory, so it is up to date, should it be a file's page at all. That of a
 * direct write may be under writeback by chance, but such a bio says that more will follow.
 */
#ifndef KT_COMPAT_BIO_FILE_H
#define KT_COMPAT_BIO_FILE_H

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/mm.h>
#include <linux/page-flags.h>
#include <linux/pagemap.h>

#ifdef KT_HAVE_FOLIO_MAPPING
static inline struct address_space *kt_page_mapping(struct page *page)
{
	return folio_mapping(page_folio(page));
}
#else
static inline struct address_space *kt_page_mapping(struct page *page)
{
	struct address_space *mapping = READ_ONCE(page->mapping);

	return PageSwapCache(page) || ((unsigned long)mapping & PAGE_MAPPING_FLAGS) ?
	       NULL : mapping;
}
#endif

/* Of a write. Before 4.10 the flag said the opposite, and went with each that is waited for. */
static inline bool kt_bio_is_direct(const struct bio *bio)
{
#ifdef REQ_IDLE
	return (bio->bi_opf & REQ_IDLE) != 0;
#else
	return (bio->bi_rw & (REQ_SYNC | REQ_NOIDLE)) == REQ_SYNC;
#endif
}

static inline bool kt_bio_is_of_cache(struct bio *bio, struct page *page)
{
	return bio_data_dir(bio) == READ ? PageLocked(page) && !PageUptodate(page) :
	       PageWriteback(page) && !kt_bio_is_direct(bio);
}

/* NULL: of none, or it cannot be told. RCU reader; of a bio that was not submitted yet. */
static inline struct inode *kt_bio_inode(struct bio *bio)
{
	struct address_space *mapping;
	struct page *page;

	if (!bio_has_data(bio))
		return NULL;
	page = compound_head(bio_page(bio));
	if (!kt_bio_is_of_cache(bio, page) || PageSlab(page))
		return NULL;
	mapping = kt_page_mapping(page);
	return mapping ? mapping->host : NULL;
}

#endif
