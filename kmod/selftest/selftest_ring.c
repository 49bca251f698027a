// SPDX-License-Identifier: GPL-2.0
/*
 * The ring on real CPUs. On each CPU a thread writes; interrupts and NMIs that this task sends
 * interrupt it, and write, too. Meanwhile this task reads, acknowledges and flushes the rings of
 * all CPUs at full speed. Every record has its CPU, level and serial number: it must be seen once,
 * whole and in order of time, or be counted as dropped.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <uapi/ktrace.h>
#include <uapi/ktrace_record.h>

#include "core/ring.h"
#include "selftest/selftest_parts.h"

#define NR_SUBBUFS	4
#define NR_TURNS	1000	/* turns of the reader */
#define MAX_SERIAL	(1 << 20)

enum level { LEVEL_TASK, LEVEL_IRQ, LEVEL_NMI, NR_LEVELS };
enum fate { FATE_UNKNOWN, FATE_REFUSED, FATE_PUT, FATE_SEEN };

struct writer {
	struct task_struct *task;
	atomic_t serial;		/* writing ends at MAX_SERIAL, which it may exceed */
	atomic_t nr_refused;
	int nr_inside;			/* writers active on this CPU */
	u32 nr_of[NR_LEVELS];
	u32 nr_nested;
	u8 *fate;			/* [MAX_SERIAL] */
};

/* The state of the reader for the records of one CPU. */
struct reader {
	u64 cursor;
	u64 time, time_end, bound;
	u64 discarded, nr_gaps;
	u32 nr_seen;
	s64 serial[NR_LEVELS];
};

static DEFINE_PER_CPU(struct writer, writers);
static DEFINE_PER_CPU(struct reader, readers);
static struct kt_ring *ring;

static u64 selftest_ring_pattern(int cpu, u32 serial, u32 n)
{
	return ((u64)cpu << 56) ^ (serial * 0x9e3779b97f4a7c15ULL) ^ n;
}

static u32 selftest_ring_payload_of(u32 serial)
{
	return 1 + serial % 7;
}

static void selftest_ring_fill(struct ktrace_record *record, u64 time, int cpu, u32 serial,
			       enum level level)
{
	u32 n;

	record->time = time;
	record->id = KTRACE_REC_ENTRY;
	record->tid = cpu;
	record->func = serial;
	record->depth = level;
	record->flags = 0;
	record->nr_payload = selftest_ring_payload_of(serial);
	for (n = 0; n < selftest_ring_payload_of(serial); n++)
		record->duration[n] = selftest_ring_pattern(cpu, serial, n);
}

/* Preemption is off. */
static void selftest_ring_write_record(enum level level)
{
	int cpu = smp_processor_id();
	struct writer *w = &per_cpu(writers, cpu);
	u32 serial = atomic_inc_return(&w->serial) - 1;
	struct kt_ring_slot slot;

	if (serial >= MAX_SERIAL || !w->fate)
		return;
	w->nr_of[level]++;
	w->nr_nested += !!w->nr_inside;
	w->nr_inside++;
	if (kt_ring_reserve(ring,
			    sizeof(struct ktrace_record) + selftest_ring_payload_of(serial) * 8,
			    &slot)) {
		w->fate[serial] = FATE_PUT;
		selftest_ring_fill(slot.data, slot.time, cpu, serial, level);
		kt_ring_commit(ring, &slot);
	} else {
		w->fate[serial] = FATE_REFUSED;
		atomic_inc(&w->nr_refused);
	}
	w->nr_inside--;
}

static void selftest_ring_on_interrupt(void *unused)
{
	selftest_ring_write_record(LEVEL_IRQ);
	selftest_ring_write_record(LEVEL_IRQ);
}

static void selftest_ring_on_nmi(void)
{
	selftest_ring_write_record(LEVEL_NMI);
}

static bool selftest_ring_is_over(const struct writer *w)
{
	return atomic_read(&w->serial) >= MAX_SERIAL;
}

static int selftest_ring_write_own(void *arg)
{
	struct writer *w = arg;

	while (!kthread_should_stop()) {
		preempt_disable();
		selftest_ring_write_record(LEVEL_TASK);
		preempt_enable();
		if (selftest_ring_is_over(w))
			schedule_timeout_interruptible(1);
		cond_resched();
	}
	return 0;
}

/* --- the reader -------------------------------------------------------------- */

static bool selftest_ring_check_record(int cpu, const struct ktrace_record *record)
{
	struct writer *w = &per_cpu(writers, cpu);
	struct reader *r = &per_cpu(readers, cpu);
	u32 n, serial = record->func;

	if (!kt_claim(record->tid == cpu && serial < MAX_SERIAL && record->depth < NR_LEVELS &&
		      record->nr_payload == selftest_ring_payload_of(serial)))
		return false;
	for (n = 0; n < record->nr_payload; n++)
		kt_claim(record->duration[n] == selftest_ring_pattern(cpu, serial, n));
	kt_claim(record->time >= r->time);
	kt_claim(record->time >= r->bound);
	kt_claim(serial > r->serial[record->depth]);
	kt_claim(w->fate[serial] == FATE_PUT);
	w->fate[serial] = FATE_SEEN;
	r->time = record->time;
	r->serial[record->depth] = serial;
	r->nr_seen++;
	return true;
}

static void selftest_ring_check_packet(int cpu, u64 nr, const void *data, size_t len)
{
	struct reader *r = &per_cpu(readers, cpu);
	const struct ktrace_packet *p = data;
	const struct ktrace_record *record;
	size_t at = sizeof(*p);
	u32 n;

	kt_claim(p->content_bits == len * 8 && p->packet_seq == nr && p->cpu_id == cpu);
	kt_claim(p->time_begin >= r->time_end && p->events_discarded >= r->discarded);
	for (n = 0; n < p->nr_records && at < len; n++) {
		record = data + at;
		if (!selftest_ring_check_record(cpu, record))
			return;
		at += sizeof(*record) + record->nr_payload * 8;
	}
	kt_claim(at == len && n == p->nr_records);
	kt_claim(p->time_end >= r->time);
	r->time_end = p->time_end;
	r->discarded = p->events_discarded;
}

static void selftest_ring_check_counters(int cpu, struct ktrace_counters *c)
{
	memset(c, 0, sizeof(*c));
	kt_ring_counters(ring, cpu, c);
	kt_claim(c->produced == c->acknowledged + c->dropped + c->held);
	kt_claim(c->dropped == c->dropped_full + c->dropped_overwritten);
}

/* Returns true if a flush was made and did not give up waiting for a writer. */
static bool selftest_ring_read_cpu(int cpu, bool is_flush)
{
	struct reader *r = &per_cpu(readers, cpu);
	struct ktrace_counters c;
	u64 nr = r->cursor, flushed = 0;
	const void *data;
	size_t len;

	kt_ring_acknowledge(ring, cpu, r->cursor);
	selftest_ring_check_counters(cpu, &c);
	if (is_flush)
		flushed = kt_ring_flush(ring, cpu);
	while (!kt_selftest_has_failed() && !kt_ring_packet(ring, cpu, &nr, &data, &len)) {
		r->nr_gaps += nr - r->cursor;
		selftest_ring_check_packet(cpu, nr, data, len);
		r->cursor = ++nr;
	}
	r->bound = max(r->bound, flushed);
	return flushed;
}

static bool selftest_ring_read_all(u32 turn)
{
	bool is_done = true;
	int cpu;

	for_each_online_cpu(cpu) {
		smp_call_function_single(cpu, selftest_ring_on_interrupt, NULL, false);
		kt_selftest_nmi_send(cpu);
		selftest_ring_read_cpu(cpu, turn % 3 == 0);
		is_done &= selftest_ring_is_over(&per_cpu(writers, cpu));
	}
	cond_resched();
	return is_done || turn == NR_TURNS;
}

/* --- the account --------------------------------------------------------------- */

static u32 selftest_ring_count_lost(const struct writer *w, u32 nr)
{
	u32 serial, nr_lost = 0;

	for (serial = 0; serial < nr; serial++) {
		kt_claim(w->fate[serial] != FATE_UNKNOWN);
		nr_lost += w->fate[serial] == FATE_PUT;
	}
	return nr_lost;
}

static void selftest_ring_check_account(int cpu, bool is_overwrite)
{
	struct writer *w = &per_cpu(writers, cpu);
	struct reader *r = &per_cpu(readers, cpu);
	u32 nr = min(atomic_read(&w->serial), MAX_SERIAL), nr_lost;
	struct ktrace_counters c;

	kt_claim(selftest_ring_read_cpu(cpu, true));
	selftest_ring_read_cpu(cpu, false);
	selftest_ring_check_counters(cpu, &c);
	nr_lost = selftest_ring_count_lost(w, nr);
	kt_claim(c.produced == nr && !c.held);
	kt_claim(c.dropped_full == atomic_read(&w->nr_refused));
	kt_claim(r->nr_seen + nr_lost + atomic_read(&w->nr_refused) == nr);
	/* Some records were overwritten after the reader had got them. */
	kt_claim(c.dropped_overwritten - nr_lost == r->nr_seen - c.acknowledged);
	kt_claim(!nr_lost == !r->nr_gaps);
	if (!is_overwrite)
		kt_claim(!nr_lost && !c.dropped_overwritten);
}

static void selftest_ring_say(const char *what)
{
	u32 nr_of[NR_LEVELS] = { 0 }, nr_nested = 0, nr_seen = 0;
	int cpu, level;

	for_each_online_cpu(cpu) {
		for (level = 0; level < NR_LEVELS; level++)
			nr_of[level] += per_cpu(writers, cpu).nr_of[level];
		nr_nested += per_cpu(writers, cpu).nr_nested;
		nr_seen += per_cpu(readers, cpu).nr_seen;
	}
	pr_info("ktrace: selftest: ring, %s: written %u by tasks, %u by interrupts, %u by NMIs, %u inside of another; read %u\n",
		what, nr_of[LEVEL_TASK], nr_of[LEVEL_IRQ], nr_of[LEVEL_NMI], nr_nested, nr_seen);
	kt_claim(nr_of[LEVEL_IRQ] && nr_of[LEVEL_NMI] && nr_nested && nr_seen);
}

/* --- one run --------------------------------------------------------------------- */

static bool selftest_ring_writer_init(int cpu)
{
	struct writer *w = &per_cpu(writers, cpu);
	struct reader *r = &per_cpu(readers, cpu);

	memset(w, 0, sizeof(*w));
	memset(r, 0, sizeof(*r));
	memset(r->serial, -1, sizeof(r->serial));
	w->fate = kvzalloc(MAX_SERIAL, GFP_KERNEL);
	if (!w->fate)
		return false;
	w->task = kthread_create(selftest_ring_write_own, w, "ktrace_writer");
	if (IS_ERR(w->task)) {
		w->task = NULL;
		return false;
	}
	kthread_bind(w->task, cpu);
	/* On the CPU that it shares with a writer, the reader runs again soon. */
	set_user_nice(w->task, 19);
	return true;
}

static bool selftest_ring_writers_init(void)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (!kt_claim(selftest_ring_writer_init(cpu)))
			return false;
	for_each_online_cpu(cpu)
		wake_up_process(per_cpu(writers, cpu).task);
	return true;
}

static void selftest_ring_writers_stop(void)
{
	int cpu;

	for_each_online_cpu(cpu) {
		if (per_cpu(writers, cpu).task)
			kthread_stop(per_cpu(writers, cpu).task);
		/* Waits for the last interrupt that was sent. */
		smp_call_function_single(cpu, selftest_ring_on_interrupt, NULL, true);
	}
	kt_selftest_nmi_exit();
}

static void selftest_ring_writers_free(void)
{
	int cpu;

	for_each_online_cpu(cpu)
		kvfree(per_cpu(writers, cpu).fate);
}

static void selftest_ring_run(bool is_overwrite)
{
	u32 turn = 0;
	int cpu;

	ring = kt_ring_create(NR_SUBBUFS, is_overwrite, 1, 2);
	if (!kt_claim(ring))
		return;
	if (kt_claim(!kt_selftest_nmi_init(selftest_ring_on_nmi))) {
		if (selftest_ring_writers_init())
			while (!selftest_ring_read_all(turn++) && !kt_selftest_has_failed())
				;
		selftest_ring_writers_stop();
	}
	for_each_online_cpu(cpu)
		if (!kt_selftest_has_failed())
			selftest_ring_check_account(cpu, is_overwrite);
	selftest_ring_say(is_overwrite ? "overwriting" : "discarding");
	selftest_ring_writers_free();
	kt_ring_put(ring);
}

int kt_selftest_ring(void)
{
	selftest_ring_run(false);
	if (!kt_selftest_has_failed())
		selftest_ring_run(true);
	return 2;
}
