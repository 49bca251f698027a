/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file whose pages a bio reads or writes, if there is no doubt.
 *
 * A page of the page cache is locked and not up to date while it is read from disk, and under
 * writeback while it is written. Both states keep its inode, too. The buffer of a direct read is
 * memory of a program: if it is a page of a file at all, it is up to date. The buffer of a direct
 * write may be under writeback by chance, but such a bio has a flag that announces more bios.
 * A file system's own data is in pages of a disk or of an inode that is not a regular file, in
 * slab memory, or in bios with the flag for metadata.
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

/*
 * Is a write direct? Before 4.10, the flag had the opposite meaning, and all other synchronous
 * writes had it.
 */
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

/*
 * Returns the inode whose page cache the bio reads or writes, or NULL if there is none or it is not
 * certain. The bio is not submitted yet. RCU reader.
 */
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

/*
 * May the bio have data of a file in pages that are not of the page cache? The bio is not submitted
 * yet. RCU reader.
 */
static inline bool kt_bio_may_be_of_file(struct bio *bio)
{
	struct page *page;

	if (!bio_has_data(bio) || kt_bio_is_meta(bio))
		return false;
	page = compound_head(bio_page(bio));
	return !kt_bio_is_of_cache(bio, page) && kt_page_may_be_a_buffer(page);
}

/* May the bio be a direct one, between a disk and a program's memory? */
static inline bool kt_bio_may_be_direct(struct bio *bio)
{
	return (bio_data_dir(bio) == READ || kt_bio_is_direct(bio)) && kt_bio_may_be_of_file(bio);
}

/*
 * Returns the inode of a direct bio, or NULL if iomap did not make the bio or the inode is not
 * certain. The file is held until the bio ends, whether a system call or a thread of a ring submits
 * it. In every version, iomap's private struct begins with the kiocb, but no header declares it. So
 * all reads may fail, and the inode is valid only if it leads to the disk of the bio.
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
