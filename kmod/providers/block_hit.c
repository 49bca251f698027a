// SPDX-License-Identifier: GPL-2.0
/*
 * Disk requests: one set of probes at the tracepoints of the block layer serves all sessions.
 *
 * A bio gets a stamp when it is queued (Q). At this moment the filters decide which sessions
 * trace it. When the bio gets a request (G), it is the first bio of the request. From then on the
 * stamps of the request are found by this first bio: when the request is inserted into the
 * scheduler (I), when it is issued to the driver (D), and when its last byte completes (C). A bio
 * that is merged into the request of another bio gets no more stamps. If a bio is merged in front
 * of the first one, the search skips it. The stamps of a bio are dropped at the end of the bio or
 * of its request.
 *
 * A request without a queued bio, as for a flush or for a program that sends commands to the
 * device, begins where it is first seen. Other requests whose queueing was not seen do not count.
 *
 * A second probe notes which task queued a bio, and the file of the bio. It is attached while some
 * session records requests, counts them by keys of tasks or files, or has FILES.
 */
#include <linux/gfp.h>
#include <linux/irqflags.h>
#include <linux/kdev_t.h>
#include <linux/preempt.h>
#include <trace/events/block.h>

#include "compat/block.h"
#include "compat/tracepoint.h"
#include "core/figures.h"
#include "core/hit.h"
#include "core/refill.h"
#include "core/session.h"
#include "core/stacks.h"
#include "lib/budget.h"
#include "lib/ticks.h"
#include "providers/block_clone.h"
#include "providers/block_file.h"
#include "providers/block_hit.h"
#include "providers/block_paths.h"
#include "providers/block_record.h"
#include "providers/block_request.h"
#include "providers/block_table.h"
#include "providers/block_want.h"
#include "providers/block_who.h"
#include "providers/peers.h"

static u32 block_hit_dev_of(const struct gendisk *disk)
{
	dev_t dev = disk ? disk_devt((struct gendisk *)disk) : 0;

	return MAJOR(dev) << 20 | MINOR(dev);
}

/* --- bios ------------------------------------------------------------------- */

static void block_hit_forget(const struct bio *bio)
{
	struct kt_block_stamps *stamps = kt_block_stamps_find(bio);

	if (unlikely(stamps))
		kt_block_stamps_drop(stamps);
}

static KT_ON_BIO(block_hit_on_queue, bio)
{
	struct kt_block_stamps *stamps;
	u64 wanted;

	/* Completions cannot refill the pools, and may need much memory at once. */
	kt_refill(GFP_NOWAIT);
	rcu_read_lock_sched();
	wanted = kt_block_wanted();
	if (!wanted) {
		block_hit_forget(bio);
		goto out;
	}
	stamps = kt_block_stamps_make(bio);
	if (unlikely(!stamps)) {
		kt_block_count_lost(wanted, kt_ticks());
		goto out;
	}
	stamps->sessions = wanted;
	stamps->dev = block_hit_dev_of(kt_bio_disk(bio));
	stamps->queued = kt_ticks();
out:
	rcu_read_unlock_sched();
}

/*
 * A bio counts for the disk that has its request, such as one below LVM. NVMe's own multipath takes
 * a request from a hidden disk, a path of the disk on which the bio was queued: such a bio counts
 * for the disk, whose name users know.
 */
static __always_inline void block_hit_note_disk(struct kt_block_stamps *stamps,
						const struct gendisk *disk)
{
	if (unlikely(kt_disk_is_path(disk)))
		kt_block_paths_note(block_hit_dev_of(disk), stamps->dev);
	else
		stamps->dev = block_hit_dev_of(disk);
}

/* Legacy queues of kernel 3.10 also allocate requests without a bio, for example for SG_IO. */
static KT_ON_GET(block_hit_on_get, bio)
{
	struct kt_block_stamps *stamps;

	if (unlikely(!bio))
		return;
	rcu_read_lock_sched();
	stamps = kt_block_stamps_find(bio);
	if (likely(stamps)) {
		block_hit_note_disk(stamps, kt_bio_disk(bio));
		if (unlikely(kt_block_nr_choosers))
			stamps->sessions = kt_block_wanted_of_dev(stamps->sessions, stamps->dev);
		stamps->got = kt_ticks();
		if (!stamps->sessions)
			kt_block_stamps_drop(stamps);
	}
	rcu_read_unlock_sched();
}

/* Keeps the stack of current, if there is room. A bio queued by an interrupt has no such stack. */
static noinline void block_hit_note_stack(const struct kt_block_stamps *stamps)
{
	u64 wanted = stamps->sessions & kt_block_stack_bits;
	const struct kt_frames *frames = NULL;
	struct kt_session *session;
	unsigned long flags;
	bool has_time;
	u64 start;

	if (!wanted || in_interrupt())
		return;
	local_irq_save(flags);
	has_time = kt_budget_begin(&start);
	if (has_time)
		frames = kt_stacks_take(wanted & kt_block_unwind_bits);
	kt_peers_each(session, &kt_block_peers)
		if ((wanted & kt_block_of(session)->bit) &&
		    (!frames || kt_stacks_keep(session->hot.stacks, frames) == KT_STACK_NONE))
			this_cpu_inc(session->hot.cpu->counters.lost_stacks);
	if (frames)
		kt_block_who_note_stack(stamps, frames->key);
	if (has_time)
		kt_budget_end(start);
	local_irq_restore(flags);
}

/* A clone belongs to the file of its source. Sessions with FILES have decided about the source. */
static void block_hit_note_file(struct kt_block_stamps *stamps, struct bio *bio,
				const struct kt_block_file *file)
{
	const struct kt_block_stamps *source = NULL;

	if (file->is_unknown)
		source = kt_block_clone_source(bio);
	if (source) {
		kt_block_who_note_source(stamps, source);
		stamps->sessions &= source->sessions | ~kt_block_file_bits;
	} else if (unlikely(kt_block_file_bits)) {
		stamps->sessions = kt_block_wanted_of_file(stamps->sessions, bio, file);
	}
}

/* RCU keeps the inode of the file in memory. */
static void block_hit_note(struct kt_block_stamps *stamps, struct bio *bio)
{
	struct kt_block_file file;

	rcu_read_lock();
	file = kt_block_file_get(bio);
	kt_block_who_note(stamps, bio, file.inode);
	block_hit_note_file(stamps, bio, &file);
	kt_block_clone_note(bio);
	kt_block_file_put(&file);
	if (unlikely(kt_block_stack_bits))
		block_hit_note_stack(stamps);
	rcu_read_unlock();
}

/* Runs after block_hit_on_queue(), while a session needs tasks or files. */
static KT_ON_BIO(block_hit_on_queue_ask, bio)
{
	struct kt_block_stamps *stamps;

	rcu_read_lock_sched();
	stamps = kt_block_stamps_find(bio);
	if (stamps)
		block_hit_note(stamps, bio);
	rcu_read_unlock_sched();
}

/* A bio is split. The first part, whose parent is the old bio, gets a request of its own. */
static KT_ON_SPLIT(block_hit_on_split, bio)
{
	struct kt_block_stamps *whole, *stamps;

	rcu_read_lock_sched();
	whole = kt_block_stamps_find(bio->bi_private);
	if (whole) {
		stamps = kt_block_stamps_make(bio);
		if (stamps) {
			stamps->queued = whole->queued;
			stamps->dev = whole->dev;
			stamps->sessions = whole->sessions;
			kt_block_who_copy(stamps, whole);
		} else {
			kt_block_count_lost(whole->sessions, whole->queued);
		}
	}
	rcu_read_unlock_sched();
}

/* This bio is now the first of the request. The stamps stay with the old first bio. */
static KT_ON_MERGE(block_hit_on_front_merge, bio)
{
	rcu_read_lock_sched();
	if (!kt_block_stamps_find(bio) && !kt_block_stamps_make(bio))
		kt_block_count_lost(~0ULL, kt_ticks());
	rcu_read_unlock_sched();
}

/*
 * NVMe's own multipath reports the end of a bio for the queue above, while the request of the bio,
 * which has a path's queue, has not completed yet. The request's completion drops these stamps.
 */
static KT_ON_BIO_END(block_hit_on_bio_end, queue, bio)
{
	const struct gendisk *disk = kt_bio_disk(bio);

	rcu_read_lock_sched();
	if (likely(!kt_disk_is_path(disk)) || disk->queue == queue)
		block_hit_forget(bio);
	rcu_read_unlock_sched();
}

/* --- requests --------------------------------------------------------------- */

static bool block_hit_is_own_key(struct request *rq)
{
	return !rq->bio || kt_request_is_passthrough(rq);
}

/* Skips bios that were merged in front of the bio that got the request: they lack that stamp. */
static noinline struct kt_block_stamps *block_hit_find_behind(const struct bio *bio)
{
	struct kt_block_stamps *stamps;

	for (; bio; bio = bio->bi_next) {
		stamps = kt_block_stamps_find(bio);
		if (!stamps || stamps->got)
			return stamps;
	}
	return NULL;
}

static __always_inline struct kt_block_stamps *find_of_bio(const struct bio *bio)
{
	struct kt_block_stamps *stamps = kt_block_stamps_find(bio);

	return likely(!stamps || stamps->got) ? stamps : block_hit_find_behind(bio->bi_next);
}

static __always_inline struct kt_block_stamps *find(struct request *rq)
{
	return unlikely(block_hit_is_own_key(rq)) ? kt_block_stamps_find(rq) : find_of_bio(rq->bio);
}

static noinline struct kt_block_stamps *block_hit_begin(struct request *rq)
{
	const struct gendisk *disk = kt_request_disk(rq);
	u32 dev = kt_disk_is_path(disk) ? kt_block_paths_disk_of(block_hit_dev_of(disk)) :
		  block_hit_dev_of(disk);
	u64 wanted = kt_block_wanted_of_dev(kt_block_wanted(), dev);
	struct kt_block_stamps *stamps;

	wanted &= ~kt_block_file_bits;
	if (!wanted || (!kt_request_is_passthrough(rq) && kt_request_op(rq) != KTRACE_BLOCK_FLUSH))
		return NULL;
	stamps = kt_block_stamps_make(rq);
	if (!stamps) {
		kt_block_count_lost(wanted, kt_ticks());
		return NULL;
	}
	stamps->queued = kt_ticks();
	stamps->sessions = wanted;
	stamps->dev = dev;
	rcu_read_lock();
	kt_block_who_note(stamps, NULL, NULL);
	if (unlikely(kt_block_stack_bits))
		block_hit_note_stack(stamps);
	rcu_read_unlock();
	return stamps;
}

/*
 * Finds the stamps of a request that is its own key. The end of such a request is not seen if its
 * driver does not call blk_update_request(), and the next request with the same tag has the same
 * address. A request is issued once, or is requeued in between, which clears the stamp. So stamps
 * that are issued already belong to the previous request at this address.
 */
static noinline struct kt_block_stamps *block_hit_find_own_or_begin(struct request *rq)
{
	struct kt_block_stamps *stamps = kt_block_stamps_find(rq);

	if (stamps && !stamps->issued)
		return stamps;
	if (stamps)
		kt_block_stamps_drop(stamps);
	return block_hit_begin(rq);
}

static __always_inline struct kt_block_stamps *find_or_begin(struct request *rq)
{
	return unlikely(block_hit_is_own_key(rq)) ? block_hit_find_own_or_begin(rq) :
	       find_of_bio(rq->bio);
}

static KT_ON_REQUEST(block_hit_on_insert, rq)
{
	struct kt_block_stamps *stamps;

	rcu_read_lock_sched();
	stamps = find_or_begin(rq);
	if (stamps && !stamps->inserted)
		stamps->inserted = kt_ticks();
	rcu_read_unlock_sched();
}

static KT_ON_REQUEST(block_hit_on_issue, rq)
{
	struct kt_block_stamps *stamps;

	rcu_read_lock_sched();
	stamps = find_or_begin(rq);
	if (stamps)
		stamps->issued = kt_ticks();
	rcu_read_unlock_sched();
}

/* The request waits again: the last time that it is issued counts. */
static KT_ON_REQUEST(block_hit_on_requeue, rq)
{
	struct kt_block_stamps *stamps;

	rcu_read_lock_sched();
	stamps = find(rq);
	if (stamps)
		stamps->issued = 0;
	rcu_read_unlock_sched();
}

/* --- completion ------------------------------------------------------------- */

static u64 block_hit_since_queued(const struct kt_block_stamps *stamps, u64 stamp, u64 least)
{
	u64 ns = stamp > stamps->queued ? kt_ticks_to_ns(stamp - stamps->queued) : 0;

	return max(ns, least);
}

static __always_inline void measure(const struct kt_block_stamps *stamps, u64 now,
				    struct kt_block_times *times)
{
	times->got = block_hit_since_queued(stamps, stamps->got, 0);
	times->inserted = block_hit_since_queued(stamps, stamps->inserted, times->got);
	times->issued = block_hit_since_queued(stamps, stamps->issued, times->inserted);
	times->completed = block_hit_since_queued(stamps, now, times->issued);
}

static __always_inline struct kt_hist *add(struct kt_session_cpu *cpu, struct kt_hist **hists,
					   u32 func, u64 ns)
{
	struct kt_hist *hist = kt_figures_hist_of(cpu, hists, func);

	if (likely(hist) && unlikely(!kt_hist_add(hist, ns)))
		cpu->counters.lost_pool++;
	return hist;
}

/* Counts the stages that the request went through, from each of its stamps to the next. */
static __always_inline void count_stages(struct kt_session_cpu *cpu, struct kt_hist **hists,
					 u32 first, const struct kt_block_stamps *stamps,
					 const struct kt_block_times *times)
{
	if (stamps->got)
		add(cpu, hists, first + KTRACE_BLOCK_Q2G, times->got);
	if (stamps->inserted)
		add(cpu, hists, first + KTRACE_BLOCK_G2I, times->inserted - times->got);
	add(cpu, hists, first + KTRACE_BLOCK_I2D, times->issued - times->inserted);
	add(cpu, hists, first + KTRACE_BLOCK_D2C, times->completed - times->issued);
}

/* The completion of a request. Its stamps have the bytes of all parts. */
struct end {
	struct request *rq;
	u64 now;
	int error;
};

/*
 * Counts what only few sessions need. It measures the times again, and takes the completion by
 * value, so that the usual path keeps all of this in registers.
 */
static noinline void block_hit_count_more(struct kt_session *session,
					  const struct kt_block_stamps *stamps,
					  struct request *rq, u64 now, int error, u32 func)
{
	struct kt_block_times times;

	measure(stamps, now, &times);
	if (session->hot.sinks & KTRACE_SINK_TABLE)
		kt_block_count_rows(session, stamps, &times, KTRACE_BLOCK_OP(func), now, error);
	if (session->hot.ring && times.completed >= session->hot.min_time)
		kt_block_record(session, stamps, &times, rq, now, error, func);
}

/* Interrupts are off, since an interrupt could count in the same histograms. */
static __always_inline void count(struct kt_session *session,
				  const struct kt_block_stamps *stamps, u32 op,
				  const struct end *end, const struct kt_block_times *times)
{
	struct kt_session_cpu *cpu = this_cpu_ptr(session->hot.cpu);
	struct kt_hist **hists = READ_ONCE(cpu->hist), *hist;
	struct kt_block *block = kt_block_of(session);
	u32 first;

	if (!(stamps->sessions & block->bit) || stamps->queued < session->hot.counts_from ||
	    unlikely(times->completed < session->hot.least))
		return;
	first = KTRACE_BLOCK_FUNC(kt_block_number(block, stamps->dev), op, 0);
	count_stages(cpu, hists, first, stamps, times);
	hist = add(cpu, hists, first + KTRACE_BLOCK_Q2C, times->completed);
	if (likely(hist)) {
		hist->bytes += stamps->bytes;
		hist->errors += end->error != 0;
	}
	if (unlikely(block->has_more))
		block_hit_count_more(session, stamps, end->rq, end->now, end->error,
				     first + KTRACE_BLOCK_Q2C);
	if (unlikely(++cpu->counters.hits % KT_HIT_SAMPLE_EVERY == 0)) {
		cpu->counters.run_cnt++;
		cpu->counters.run_ns += kt_ticks_to_ns(kt_ticks() - end->now);
	}
}

static __always_inline void count_all(const struct kt_block_stamps *stamps, struct request *rq,
				      int error)
{
	const struct end end = { .rq = rq, .now = kt_ticks(), .error = error };
	u32 op = kt_request_op(rq);
	struct kt_block_times times;
	struct kt_session *session;
	unsigned long flags;

	measure(stamps, end.now, &times);
	local_irq_save(flags);
	kt_peers_each(session, &kt_block_peers)
		count(session, stamps, op, &end, &times);
	local_irq_restore(flags);
}

/* A part of the request is done. Its stamps move to the first bio that remains. */
static noinline void block_hit_move(const struct request *rq, struct kt_block_stamps *stamps,
				    u32 bytes)
{
	const struct bio *bio = rq->bio;
	const struct kt_block_stamps copy = *stamps;
	const struct kt_block_who who = *kt_block_who_get(stamps);
	bool is_behind = false;

	for (; bio && kt_bio_bytes(bio) <= bytes; bio = bio->bi_next) {
		is_behind |= kt_block_stamps_find(bio) == stamps;
		bytes -= kt_bio_bytes(bio);
	}
	if (!is_behind || !bio)
		return;
	kt_block_stamps_drop(stamps);
	stamps = kt_block_stamps_make(bio);
	if (!stamps) {
		kt_block_count_lost(copy.sessions, copy.queued);
		return;
	}
	kt_block_stamps_copy(stamps, &copy);
	kt_block_who_put(stamps, &who);
}

/* Merged bios end with their request: the end of such a bio itself is not traced. */
static noinline void block_hit_forget_done(const struct request *rq, u32 bytes)
{
	const struct bio *bio = rq->bio;

	for (; bio && kt_bio_bytes(bio) <= bytes; bio = bio->bi_next) {
		bytes -= kt_bio_bytes(bio);
		block_hit_forget(bio);
	}
}

static KT_ON_REQUEST_END(block_hit_on_complete, rq, bytes)
{
	struct kt_block_stamps *stamps;

	rcu_read_lock_sched();
	kt_refill_soon();
	stamps = find(rq);
	if (unlikely(!stamps))
		goto out;
	stamps->bytes += bytes;
	if (unlikely(bytes < blk_rq_bytes(rq))) {
		block_hit_move(rq, stamps, bytes);
		goto out;
	}
	/* A bio that is only a flush ends unissued: other requests carried out the flush. */
	if (likely(stamps->issued))
		count_all(stamps, rq, KT_REQUEST_ERROR(rq));
	kt_block_stamps_drop(stamps);
out:
	if (unlikely(rq->bio != rq->biotail))
		block_hit_forget_done(rq, bytes);
	rcu_read_unlock_sched();
}

/* --- probes ---------------------------------------------------------------- */

static struct kt_tracepoint probes[] = {
	KT_TRACEPOINT(block_bio_queue, block_hit_on_queue),
	KT_TRACEPOINT(block_getrq, block_hit_on_get),
	KT_TRACEPOINT(block_split, block_hit_on_split),
	KT_TRACEPOINT(block_bio_frontmerge, block_hit_on_front_merge),
	KT_TRACEPOINT(block_bio_complete, block_hit_on_bio_end),
	KT_TRACEPOINT(block_rq_insert, block_hit_on_insert),
	KT_TRACEPOINT(block_rq_issue, block_hit_on_issue),
	KT_TRACEPOINT(block_rq_requeue, block_hit_on_requeue),
	KT_TRACEPOINT(block_rq_complete, block_hit_on_complete),
};

static struct kt_tracepoint asking_probes[] = {
	KT_TRACEPOINT(block_bio_queue, block_hit_on_queue_ask),
};

int kt_block_hit_begin(void)
{
	return kt_tracepoints_attach(probes, ARRAY_SIZE(probes));
}

void kt_block_hit_end(void)
{
	kt_tracepoints_detach(probes, ARRAY_SIZE(probes));
}

int kt_block_hit_begin_asking(void)
{
	return kt_tracepoints_attach(asking_probes, ARRAY_SIZE(asking_probes));
}

void kt_block_hit_end_asking(void)
{
	kt_tracepoints_detach(asking_probes, ARRAY_SIZE(asking_probes));
}
