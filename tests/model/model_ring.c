// SPDX-License-Identifier: GPL-2.0
/*
 * kmod/core/ring.c in every order. CPU 0 writes, and is interrupted at any shared access by nested
 * writers (an interrupt, and an NMI in either); CPU 1 reads, and CPU 2 reads the counters. Packets
 * hold two or three records. All CPUs see a store at once here; ring.pml checks the barriers.
 *
 * Every record contains its serial number, which determines its level and pattern. It must be read
 * once, whole and in order of time, or be known as refused or overwritten. The counts of all of
 * these must match at any moment.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore.h"

/* Memory is part of the state, and is never freed. */
#define posix_memalign take_memory
#define free(p)	((void)(p))
static int take_memory(void **p, size_t align, size_t len);
#define kt_shim_idle_step() do { } while (0)
#include "shim.h"
#undef PAGE_SIZE
#define PAGE_SIZE	128UL	/* shim.h's get_order() is 0 for all packets here */

#include <uapi/ktrace.h>
#include <uapi/ktrace_record.h>
#undef KTRACE_PACKET_LEN
static size_t packet_len;
#define KTRACE_PACKET_LEN packet_len
#undef BUILD_BUG_ON
#define BUILD_BUG_ON(c)	((void)0)

static void *copy_by_words(void *to, const void *from, size_t len);
#define memcpy copy_by_words
#include "core/ring.c"
#include "core/ring_reader.c"
#include "core/ring_alloc.c"
#undef memcpy

#define MAX_RECORDS	8
#define MAX_LEVEL	2
#define NR_SUBBUFS	2
#define STEP_GO		1U
#define STEP_SHIFT(level) (1U << (level))

enum fate { FATE_UNKNOWN, FATE_REFUSED, FATE_PUT, FATE_SEEN };

struct scenario {
	const char *name;
	bool is_overwrite;
	u8 packet_words;		/* for records of 2 and 3 words */
	bool has_jitter;		/* the clock may step back */
	u8 nr_before;			/* packets used up before */
	u8 nr_records[MAX_LEVEL + 1];	/* at most, per level; of level 0 exactly */
	const char *reader;		/* flush, packets, acknowledge */
	bool has_observer;
	bool is_deep;			/* takes minutes, runs only with "deep" */
};

static const struct scenario *now_running;

/* Everything that does not belong to the ring. */
static struct {
	u64 clock;
	int level;
	u8 left[MAX_LEVEL + 1];
	u32 nr_serials;
	u32 nr_decided;			/* put or refused */
	u32 nr_refused;
	u8 fate[MAX_RECORDS];
	u8 level_of[MAX_RECORDS];
	u64 cursor, bound, seen_time, seen_end, seen_discarded, nr_gaps;
	s64 seen_serial[MAX_LEVEL + 1];
	u32 nr_seen;
	u8 fill[8];
} w;

static _Alignas(64) char memory[4096];
static size_t memory_used;
static struct kt_ring *ring;
__thread int kt_shim_cpu;
long kt_shim_pages, kt_shim_fail_after = -1;

static int take_memory(void **p, size_t align, size_t len)
{
	memory_used = (memory_used + align - 1) & -align;
	*p = memory + memory_used;
	memory_used += len;
	return memory_used > sizeof(memory);
}

bool kt_mem_charge(size_t len)
{
	return len;
}

void kt_mem_uncharge(size_t len)
{
	(void)len;
}

/* --- the world's steps ----------------------------------------------------- */

static void write_record(void);

static void interrupt(int level)
{
	int before = w.level;

	w.level = level;
	w.left[level]--;
	write_record();
	w.level = before;
}

void kt_shim_step(void)
{
	unsigned int choices, taken;
	int level;

	do {
		choices = STEP_GO;
		if (explore_cpu == 0)
			for (level = w.level + 1; level <= MAX_LEVEL; level++)
				if (w.left[level])
					choices |= STEP_SHIFT(level);
		taken = explore_step(choices);
		if (taken)
			interrupt(taken);
	} while (taken);
}

void kt_shim_relax(void)
{
}

/* Writers read even times, and flush an odd time between two, so that it changes nothing. */
u64 ktime_get_mono_fast_ns(void)
{
	kt_shim_step();
	if (explore_cpu != 0)
		return w.clock + 1;
	w.clock += 2;
	if (now_running->has_jitter)
		return w.clock - 4 * explore_step(3);
	return w.clock;
}

static void *copy_by_words(void *to, const void *from, size_t len)
{
	size_t at;

	for (at = 0; at < len; at += 8) {
		if (len > 16)
			kt_shim_step();
		*(u64 *)(to + at) = *(const u64 *)(from + at);
	}
	return to;
}

/* --- writers --------------------------------------------------------------- */

static u32 words_of(u32 serial)
{
	return 2 + serial % 2;
}

static u64 pattern(u32 serial, u32 n)
{
	return 0xabcd0000 + serial * 16 + n;
}

static void fill_record(u64 *word, u32 serial)
{
	u32 n;

	for (n = 1; n < words_of(serial); n++) {
		word[n] = pattern(serial, n);
		kt_shim_step();
	}
}

static void write_record(void)
{
	u32 serial = w.nr_serials++;
	struct kt_ring_slot slot;
	bool is_past, is_notice;

	w.level_of[serial] = w.level;
	if (!kt_ring_reserve(ring, words_of(serial) * 8, &slot)) {
		w.fate[serial] = FATE_REFUSED;
		w.nr_refused++;
		w.nr_decided++;
		return;
	}
	w.fate[serial] = FATE_PUT;
	w.nr_decided++;
	*(u64 *)slot.data = slot.time;
	fill_record(slot.data, serial);
	is_past = !is_same_packet(slot.cpu->head.v, slot.mark);
	is_notice = kt_ring_commit(ring, &slot);
	/* Otherwise the reader would get no notice. */
	check(is_notice || !is_past);
}

static void writer(void)
{
	while (w.left[0]) {
		w.left[0]--;
		write_record();
		kt_shim_step();
	}
}

/* --- the reader ------------------------------------------------------------ */

static size_t check_record(const u64 *word)
{
	u32 serial = (word[1] - pattern(0, 1)) / 16, n;

	check(serial < w.nr_serials);
	for (n = 1; n < words_of(serial); n++)
		check(word[n] == pattern(serial, n));
	check(word[0] >= w.seen_time);
	check(word[0] >= w.bound);
	check(w.fate[serial] == FATE_PUT);
	check(w.seen_serial[w.level_of[serial]] < serial);
	w.seen_time = word[0];
	w.seen_serial[w.level_of[serial]] = serial;
	w.fate[serial] = FATE_SEEN;
	w.nr_seen++;
	return words_of(serial) * 8;
}

static void check_packet(u64 nr, const void *data, size_t len)
{
	const struct ktrace_packet *p = data;
	size_t at = sizeof(*p);
	u32 n;

	check(len <= KTRACE_PACKET_LEN && len > sizeof(*p));
	check(p->content_bits == len * 8 && p->packet_seq == nr && p->nr_records > 0);
	check(p->time_begin >= w.seen_end);
	check(p->events_discarded >= w.seen_discarded);
	check(p->events_discarded <= w.nr_serials - (w.nr_decided - w.nr_refused));
	for (n = 0; n < p->nr_records && at < len; n++)
		at += check_record(data + at);
	check(at == len && n == p->nr_records);
	check(p->time_end >= w.seen_time);
	w.seen_end = p->time_end;
	w.seen_discarded = p->events_discarded;
}

static void read_packets(void)
{
	u64 nr = w.cursor;
	const void *data;
	size_t len;

	while (!kt_ring_packet(ring, 0, &nr, &data, &len)) {
		check(nr >= w.cursor);
		w.nr_gaps += nr - w.cursor;
		/* While the packet is copied to the reader, writers continue. */
		kt_shim_step();
		check_packet(nr, data, len);
		w.cursor = ++nr;
	}
}

static void look(void)
{
	struct ktrace_counters c = { 0 };
	u32 nr_before = w.nr_decided;

	kt_ring_counters(ring, 0, &c);
	check(c.produced == c.acknowledged + c.dropped + c.held);
	check(c.dropped == c.dropped_full + c.dropped_overwritten);
	check(c.produced >= nr_before && c.produced <= w.nr_serials);
	/* Two packets of three records are not possible, because lengths alternate. */
	check(c.held <= NR_SUBBUFS * 2);
	check(!c.dropped_overwritten || now_running->is_overwrite);
}

static void reader(void)
{
	const char *op;
	u64 flushed = 0;

	for (op = now_running->reader; *op; op++) {
		switch (*op) {
		case 'f':
			flushed = kt_ring_flush(ring, 0);
			break;
		case 'p':
			read_packets();
			if (flushed > w.bound && !now_running->has_jitter)
				w.bound = flushed;
			break;
		case 'a':
			kt_ring_acknowledge(ring, 0, w.cursor);
			break;
		}
	}
}

/* --- the end ----------------------------------------------------------------- */

static void check_account(const struct ktrace_counters *c, u32 nr_lost)
{
	check(c->produced == w.nr_serials);
	check(!c->held);
	check(c->dropped_full == w.nr_refused);
	check(w.nr_seen + nr_lost + w.nr_refused == w.nr_serials);
	if (!now_running->is_overwrite) {
		check(!nr_lost && !c->dropped_overwritten && !w.nr_gaps);
		check(c->acknowledged == w.nr_seen);
		return;
	}
	/* Some were overwritten after the reader had got them. */
	check(c->dropped_overwritten >= nr_lost);
	check(c->dropped_overwritten - nr_lost == w.nr_seen - c->acknowledged);
	check(!nr_lost == !w.nr_gaps);
}

static void drain(void)
{
	struct ktrace_counters c = { 0 };
	u32 serial, nr_lost = 0;
	u64 flushed;

	flushed = kt_ring_flush(ring, 0);
	check(flushed);
	read_packets();
	kt_ring_acknowledge(ring, 0, w.cursor);
	kt_ring_counters(ring, 0, &c);
	for (serial = 0; serial < w.nr_serials; serial++) {
		check(w.fate[serial] != FATE_UNKNOWN);
		nr_lost += w.fate[serial] == FATE_PUT;
	}
	check_account(&c, nr_lost);
}

/* --- scenarios ------------------------------------------------------------------ */

/* Small scenarios come first, so that a mistake is found soon. */
static const struct scenario scenarios[] = {
	{ "discard, read, all used before", false, 3, false, 2, { 2, 1, 0 }, "pp", false, false },
	{ "discard, counters while it is read", false, 3, false, 0, { 3, 0, 0 }, "pa", true, false },
	{ "discard, read", false, 5, false, 0, { 3, 1, 0 }, "pa", false, false },
	{ "overwrite, read, all used before", true, 3, false, 2, { 2, 1, 0 }, "p", false, false },
	{ "overwrite, nested twice", true, 3, false, 0, { 3, 1, 1 }, NULL, false, false },
	{ "overwrite, flushed and read", true, 3, false, 0, { 3, 0, 0 }, "fpa", false, false },
	{ "overwrite, counters while it is read", true, 3, false, 0, { 3, 0, 0 }, "pa", true, false },
	{ "discard, a record a packet", false, 3, false, 0, { 3, 2, 1 }, NULL, false, false },
	{ "discard, nested twice", false, 5, false, 0, { 2, 2, 1 }, NULL, false, false },
	{ "a clock that steps back", false, 5, true, 0, { 2, 1, 1 }, NULL, false, false },
	{ "overwrite, read", true, 3, false, 0, { 3, 1, 0 }, "pa", false, false },
	{ "discard, read, nested twice", false, 3, false, 0, { 2, 1, 1 }, "pa", false, false },
	{ "discard, flushed and read", false, 5, false, 0, { 2, 1, 0 }, "fpa", false, false },
	{ "deep: discard", false, 5, false, 0, { 3, 2, 2 }, NULL, false, true },
	{ "deep: discard, flushed, nested twice", false, 3, false, 0, { 1, 1, 1 }, "fp", false, true },
	{ "deep: discard, read twice", false, 3, false, 0, { 3, 0, 0 }, "fpafpa", false, true },
	{ "deep: overwrite", true, 3, false, 0, { 3, 2, 1 }, NULL, false, true },
	{ "deep: overwrite, read, nested twice", true, 3, false, 0, { 2, 1, 1 }, "pa", false, true },
	{ "deep: overwrite, flushed and read", true, 3, false, 0, { 2, 1, 0 }, "fpa", false, true },
	{ "deep: overwrite, counters, nested", true, 3, false, 0, { 2, 1, 0 }, "pa", true, true },
};

static void use_up(int nr_packets)
{
	while (nr_packets--) {
		write_record();
		kt_ring_flush(ring, 0);
		read_packets();
		kt_ring_acknowledge(ring, 0, w.cursor);
	}
}

static void begin(const struct scenario *s)
{
	now_running = s;
	packet_len = sizeof(struct ktrace_packet) + s->packet_words * 8;
	memset(&w, 0, sizeof(w));
	memset(memory, 0, sizeof(memory));
	memory_used = 0;
	memset(w.seen_serial, -1, sizeof(w.seen_serial));
	memcpy(w.left, s->nr_records, sizeof(w.left));
	w.clock = 100;
	ring = kt_ring_create(NR_SUBBUFS, s->is_overwrite, 1, 2);
	use_up(s->nr_before);
	explore_keep(&w, sizeof(w));
	explore_keep(memory, (memory_used + 7) & ~7UL);
}

static bool run(const struct scenario *s)
{
	struct explore_test test = { .cpu = { writer }, .end = drain };
	struct explore_result result;
	int nr = 1;

	begin(s);
	if (s->reader)
		test.cpu[nr++] = reader;
	if (s->has_observer)
		test.cpu[nr++] = look;
	if (!explore(&test, &result)) {
		fprintf(stderr, "in: %s\n", s->name);
		return false;
	}
	printf("%-40s %9lu states %6lu ends %9.2g runs of up to %u steps\n", s->name,
	       (unsigned long)result.nr_states, (unsigned long)result.nr_ends,
	       result.nr_runs, result.depth);
	fflush(stdout);
	return true;
}

/* Runs every scenario; with "deep" also those that take long. */
int main(int nr_args, char **args)
{
	bool is_deep = nr_args > 1 && !strcmp(args[1], "deep");
	const struct scenario *s;

	for (s = scenarios; s < scenarios + sizeof(scenarios) / sizeof(*s); s++)
		if ((is_deep || !s->is_deep) && !run(s))
			return 1;
	return 0;
}
