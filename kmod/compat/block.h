/* SPDX-License-Identifier: GPL-2.0 */
/* Differences between kernels in requests, bios and the tracepoints of both. */
#ifndef KT_COMPAT_BLOCK_H
#define KT_COMPAT_BLOCK_H

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/blk-mq.h>

#include <uapi/ktrace.h>

/* --- probes, of which a bio or a request is of interest --------------------- */

#ifdef KT_HAVE_BLOCK_BIO_ALONE
#define KT_ON_BIO(name, bio) void name(void *data, struct bio *bio)
#define KT_ON_GET(name, bio) void name(void *data, struct bio *bio)
#define KT_ON_SPLIT(name, bio) void name(void *data, struct bio *bio, unsigned int sector)
#define KT_ON_MERGE(name, bio) void name(void *data, struct bio *bio)
#else
#define KT_ON_BIO(name, bio) \
	void name(void *data, struct request_queue *queue, struct bio *bio)
#define KT_ON_GET(name, bio) \
	void name(void *data, struct request_queue *queue, struct bio *bio, int rw)
#define KT_ON_SPLIT(name, bio)							\
	void name(void *data, struct request_queue *queue, struct bio *bio,	\
		  unsigned int sector)
#define KT_ON_MERGE(name, bio)							\
	void name(void *data, struct request_queue *queue, struct request *rq,	\
		  struct bio *bio)
#endif

/* A probe of block_bio_complete, which has the queue on all kernels. */
#ifdef KT_HAVE_BLOCK_BIO_ERROR
#define KT_ON_BIO_END(name, queue, bio) \
	void name(void *data, struct request_queue *queue, struct bio *bio, int error)
#else
#define KT_ON_BIO_END(name, queue, bio) \
	void name(void *data, struct request_queue *queue, struct bio *bio)
#endif

#ifdef KT_HAVE_BLOCK_RQ_ALONE
#define KT_ON_REQUEST(name, rq) void name(void *data, struct request *rq)
#else
#define KT_ON_REQUEST(name, rq) \
	void name(void *data, struct request_queue *queue, struct request *rq)
#endif

/*
 * A probe of block_rq_complete: bytes of the request are done. In its body, KT_REQUEST_ERROR() is a
 * negative errno or 0.
 */
#if defined(KT_HAVE_BLOCK_COMPLETE_STATUS)
#define KT_ON_REQUEST_END(name, rq, bytes) \
	void name(void *data, struct request *rq, blk_status_t status, unsigned int bytes)
#define KT_REQUEST_ERROR(rq) (likely(status == BLK_STS_OK) ? 0 : blk_status_to_errno(status))
#elif defined(KT_HAVE_BLOCK_COMPLETE_QUEUE)
#define KT_ON_REQUEST_END(name, rq, bytes)					\
	void name(void *data, struct request_queue *queue, struct request *rq,	\
		  unsigned int bytes)
#define KT_REQUEST_ERROR(rq) ((rq)->errors ? -EIO : 0)	/* errors is a driver's number */
#else
#define KT_ON_REQUEST_END(name, rq, bytes) \
	void name(void *data, struct request *rq, int status, unsigned int bytes)
#define KT_REQUEST_ERROR(rq) status
#endif

/* --- requests and bios ------------------------------------------------------ */

static inline struct gendisk *kt_request_disk(const struct request *rq)
{
#ifdef KT_HAVE_REQUEST_DISK
	return rq->rq_disk;
#else
	return rq->q->disk;
#endif
}

static inline struct gendisk *kt_bio_disk(const struct bio *bio)
{
#ifdef KT_HAVE_BIO_DISK
	return bio->bi_disk;
#else
	return bio->bi_bdev ? bio->bi_bdev->bd_disk : NULL;
#endif
}

/* Is the disk a path of another disk, such as NVMe's own multipath makes them? */
static inline bool kt_disk_is_path(const struct gendisk *disk)
{
#ifdef KT_HAVE_DISK_HIDDEN
	return disk && (disk->flags & GENHD_FL_HIDDEN);
#else
	return false;
#endif
}

static inline u32 kt_bio_bytes(const struct bio *bio)
{
#ifdef KT_HAVE_BIO_ITER
	return bio->bi_iter.bi_size;
#else
	return bio->bi_size;
#endif
}

#ifdef KT_HAVE_REQ_OP_FLUSH
static inline bool kt_request_is_passthrough(struct request *rq)
{
	return blk_rq_is_passthrough(rq);
}

/* Operations have a type of their own for sparse; before 6.0, they are ints. */
#define KT_OP(op) ((__force u32)(op))

/* Returns the KTRACE_BLOCK_* of a request. */
static inline u32 kt_request_op(struct request *rq)
{
	switch (KT_OP(req_op(rq))) {
	case KT_OP(REQ_OP_READ):
		return KTRACE_BLOCK_READ;
	case KT_OP(REQ_OP_WRITE):
		return KTRACE_BLOCK_WRITE;
	case KT_OP(REQ_OP_FLUSH):
		return KTRACE_BLOCK_FLUSH;
	case KT_OP(REQ_OP_DISCARD):
	case KT_OP(REQ_OP_SECURE_ERASE):
		return KTRACE_BLOCK_DISCARD;
	case KT_OP(REQ_OP_WRITE_ZEROES):
		return KTRACE_BLOCK_ZEROES;
	default:
		return kt_request_is_passthrough(rq) ? KTRACE_BLOCK_PASSTHROUGH :
		       KTRACE_BLOCK_OTHER;
	}
}
#else
static inline bool kt_request_is_passthrough(struct request *rq)
{
	return rq->cmd_type != REQ_TYPE_FS;
}

static inline u32 kt_request_op(struct request *rq)
{
	if (kt_request_is_passthrough(rq))
		return KTRACE_BLOCK_PASSTHROUGH;
	if (rq->cmd_flags & REQ_DISCARD)
		return KTRACE_BLOCK_DISCARD;
	if (rq->cmd_flags & REQ_WRITE_SAME)
		return KTRACE_BLOCK_ZEROES;
	if ((rq->cmd_flags & REQ_FLUSH) && !rq->bio)
		return KTRACE_BLOCK_FLUSH;
	return rq_data_dir(rq) ? KTRACE_BLOCK_WRITE : KTRACE_BLOCK_READ;
}
#endif

#endif
