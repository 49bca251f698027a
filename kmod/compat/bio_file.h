/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file that a bio reads or writes pages of, where that is beyond doubt.
 *
 * What is between disk and page cache is locked and not up to date while it is read, and under
 * writeback while it is written, which keeps its inode, too. The buffer of a direct read is
 * in somebody's memory, so it is up to date, should it be a file's page at all. That of a
 * direct write may be under writeback by chance, but such a bio says that more will follow.
 * What a file system reads and writes for itself is in pages of a disk's, or of an inode that
 * is no file, in memory of the allocator, or says that it is metadata.
 */
#ifndef KT_COMPAT_BIO_FILE_H
#define KT_COMPAT_BIO_FILE_H

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/page-flags.h>
#include <linux/pagemap.h>
#include <linux/uaccess.h>

#include "compat/block.h"

#ifdef KT_HAVE_IOMAP_DIO_BIO_END_IO
#include <linux/iomap.h>
#endif

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

static inline bool kt_bio_is_meta(const struct bio *bio)
{
#ifdef REQ_IDLE
	return (bio->bi_opf & REQ_META) != 0;
#else
	return (bio->bi_rw & REQ_META) != 0;
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

static inline bool kt_page_may_be_a_buffer(struct page *page)
{
	struct address_space *mapping;

	if (PageSlab(page))
		return false;
	mapping = kt_page_mapping(page);
	return !mapping || !mapping->host || S_ISREG(mapping->host->i_mode);
}

/* The same condition: is it between a disk and a program's memory? */
static inline bool kt_bio_may_be_direct(struct bio *bio)
{
	struct page *page;

	if (!bio_has_data(bio) || kt_bio_is_meta(bio) ||
	    (bio_data_dir(bio) != READ && !kt_bio_is_direct(bio)))
		return false;
	page = compound_head(bio_page(bio));
	return !kt_bio_is_of_cache(bio, page) && kt_page_may_be_a_buffer(page);
}

/*
 * The inode of a direct bio, whose file is held until the bio ends, be it submitted for a call or
 * by a ring's thread; NULL: iomap did not make it, or does not say. What iomap keeps of each has
 * begun with the kiocb since there is an iomap, but no header says so: nothing of it is followed
 * unless it leads to the bio's own disk, by reads that may fail.
 */
#ifdef KT_HAVE_IOMAP_DIO_BIO_END_IO
static inline struct inode *kt_bio_direct_inode(struct bio *bio)
{
	struct block_device *bdev;
	struct super_block *sb;
	struct gendisk *disk;
	struct inode *inode;
	struct kiocb *kiocb;
	struct file *file;

	if (bio->bi_end_io != iomap_dio_bio_end_io ||
	    get_kernel_nofault(kiocb, (struct kiocb **)bio->bi_private) ||
	    get_kernel_nofault(file, &kiocb->ki_filp) ||
	    get_kernel_nofault(inode, &file->f_inode) || get_kernel_nofault(sb, &inode->i_sb) ||
	    get_kernel_nofault(bdev, &sb->s_bdev) || get_kernel_nofault(disk, &bdev->bd_disk))
		return NULL;
	return disk == kt_bio_disk(bio) ? inode : NULL;
}
#else
static inline struct inode *kt_bio_direct_inode(struct bio *bio)
{
	return NULL;
}
#endif

#endif
