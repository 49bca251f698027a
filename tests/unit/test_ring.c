// SPDX-License-Identifier: GPL-2.0
/*
 * kmod/ring*.c in user space. Writers meet in two ways:
 *
 *   stepped   one thread. Before and after each shared access of ring.c, a random choice runs a
 *             nested writer to its end (an interrupt there), or the reader on "another CPU". The
 *             same seed gives the same run.
 *   threads   one thread per CPU, interrupted by two signals that write too, one nested in the
 *             other; the reader runs beside them.
 *
 * Each record contains its CPU, nesting level and serial number. If reserve refuses a record, it
 * must never be read; otherwise it must be read once, or have been overwritten.
 * Tools: -I tests/unit/kernel_shim -I include -I kmod.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "../../kmod/core/ring.c"
#include "../../kmod/core/ring_reader.c"
#include "../../kmod/core/ring_alloc.c"

#define NR_CPUS		KT_SHIM_NR_CPUS
#define MAX_LEVEL	3
#define MAX_SERIAL	(1U << 22)
#define SESSION		0x1122334455667788ULL
#define COOKIE		0x99aabbccddeeff00ULL

enum fate { FATE_UNKNOWN, FATE_REFUSED, FATE_PUT, FATE_SEEN };

/* The simulated machine. */
__thread int kt_shim_cpu;
long kt_shim_pages;
long kt_shim_fail_after = -1;
static u64 nr_charged;
static unsigned int clock_jitter;	/* ns that the clock may step back */
static bool is_stepped;
static u64 stepped_clock;

/* The state of a run. */
static struct kt_ring *ring;
static __thread int level;		/* writers active on this CPU */
static u32 serial[NR_CPUS];
static u8 fate[NR_CPUS][MAX_SERIAL];
static u64 nr_refused[NR_CPUS], nr_seen[NR_CPUS];
static u64 nr_stolen, nr_nested, nr_flushed;

/* The reader. */
static bool is_reading, is_spinning;
static u64 cursor[NR_CPUS], seen_time[NR_CPUS], seen_end[NR_CPUS], seen_gaps[NR_CPUS];
static u64 seen_discarded[NR_CPUS];
static u64 bound[NR_CPUS];		/* what flush promised */
static s64 seen_serial[NR_CPUS][MAX_LEVEL + 1];

static __thread u64 seed;

static u32 chance(u32 n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(seed >> 33) % n;
}

bool kt_mem_charge(size_t len)
{
	nr_charged += len;
	return true;
}

void kt_mem_uncharge(size_t len)
{
	nr_charged -= len;
}

u64 ktime_get_mono_fast_ns(void)
{
	struct timespec now;
	u64 ns;

	kt_shim_step();
	if (is_stepped) {
		ns = stepped_clock += chance(3);
	} else {
		clock_gettime(CLOCK_MONOTONIC, &now);
		ns = now.tv_sec * 1000000000ULL + now.tv_nsec;
	}
	ns += 1000000;
	if (clock_jitter && !chance(4))
		ns -= chance(clock_jitter);
	kt_shim_step();
	return ns;
}

static u64 payload_word(int cpu, u32 nr, u32 n)
{
	return ((u64)cpu << 56) ^ (nr * 0x9e3779b97f4a7c15ULL) ^ n;
}

/* Writes one record, as an interrupt of this level would. */
static bool write_record(int this_level)
{
	u32 nr = __atomic_fetch_add(&serial[kt_shim_cpu], 1, __ATOMIC_RELAXED);
	u32 n, nr_payload = 1 + nr % 7;
	struct kt_ring_slot slot;
	struct ktrace_record *record;

	assert_true(nr < MAX_SERIAL);
	if (!kt_ring_reserve(ring, sizeof(*record) + nr_payload * 8, &slot)) {
		__atomic_store_n(&fate[kt_shim_cpu][nr], FATE_REFUSED, __ATOMIC_RELAXED);
		__atomic_fetch_add(&nr_refused[kt_shim_cpu], 1, __ATOMIC_RELAXED);
		return false;
	}
	fate[kt_shim_cpu][nr] = FATE_PUT;
	record = slot.data;
	record->time = slot.time;
	record->id = KTRACE_REC_ENTRY;
	record->tid = kt_shim_cpu;
	record->func = nr;
	record->depth = this_level;
	record->nr_payload = nr_payload;
	kt_shim_step();
	for (n = 0; n < nr_payload; n++)
		record->duration[n] = payload_word(kt_shim_cpu, nr, n);
	kt_shim_step();
	return kt_ring_commit(ring, &slot);
}

static void check_record(int cpu, const struct ktrace_record *record)
{
	u32 n;

	assert_int_equal(record->tid, cpu);
	assert_int_equal(record->nr_payload, 1 + record->func % 7);
	for (n = 0; n < record->nr_payload; n++)
		assert_true(record->duration[n] == payload_word(cpu, record->func, n));
	assert_true(record->time >= seen_time[cpu]);
	seen_time[cpu] = record->time;
	assert_true(record->time >= bound[cpu]);
	assert_true(record->depth <= MAX_LEVEL);
	assert_true(record->func > seen_serial[cpu][record->depth]);
	seen_serial[cpu][record->depth] = record->func;
	assert_int_equal(fate[cpu][record->func], FATE_PUT);
	fate[cpu][record->func] = FATE_SEEN;
	nr_seen[cpu]++;
}

static void check_packet(int cpu, u64 nr, const void *data, size_t len)
{
	static const u8 uuid[16] = { 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
				     0x00, 0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa, 0x99 };
	const struct ktrace_packet *p = data;
	const struct ktrace_record *record;
	size_t at = sizeof(*p);
	u32 n;

	assert_true(len <= KTRACE_PACKET_LEN && len > sizeof(*p) && len % 8 == 0);
	assert_int_equal(p->magic, KTRACE_CTF_MAGIC);
	assert_int_equal(p->stream_id, 0);
	assert_memory_equal(p->uuid, uuid, 16);
	assert_int_equal(p->content_bits, len * 8);
	assert_int_equal(p->packet_bits, len * 8);
	assert_int_equal(p->cpu_id, cpu);
	assert_int_equal(p->packet_seq, nr);
	assert_true(p->time_begin >= seen_end[cpu]);
	assert_true(p->events_discarded >= seen_discarded[cpu]);
	assert_true(p->nr_records > 0);
	seen_discarded[cpu] = p->events_discarded;
	for (n = 0; n < p->nr_records; n++) {
		record = data + at;
		assert_true(at + sizeof(*record) <= len);
		at += sizeof(*record) + record->nr_payload * 8;
		assert_true(at <= len);
		check_record(cpu, record);
		if (!n)
			assert_true(record->time == p->time_begin);
	}
	assert_int_equal(at, len);
	assert_true(p->time_end >= seen_time[cpu]);
	seen_end[cpu] = p->time_end;
}

static struct ktrace_counters counters_of(int cpu)
{
	struct ktrace_counters c = { 0 };

	kt_ring_counters(ring, cpu, &c);
	assert_true(c.produced == c.acknowledged + c.dropped + c.held);
	assert_true(c.dropped == c.dropped_full + c.dropped_overwritten);
	return c;
}

/* Reads the packets that are there, and acknowledges them at the next call, as netlink does. */
static void read_cpu(int cpu, bool is_flush)
{
	u64 nr = cursor[cpu], flushed = 0;
	const void *data;
	size_t len;

	kt_ring_acknowledge(ring, cpu, cursor[cpu]);
	counters_of(cpu);
	if (is_flush) {
		flushed = kt_ring_flush(ring, cpu);
		nr_flushed++;
	}
	while (!kt_ring_packet(ring, cpu, &nr, &data, &len)) {
		assert_true(nr >= cursor[cpu]);
		seen_gaps[cpu] += nr - cursor[cpu];
		check_packet(cpu, nr, data, len);
		cursor[cpu] = ++nr;
	}
	if (flushed > bound[cpu] && !clock_jitter)
		bound[cpu] = flushed;
	counters_of(cpu);
}

/*
 * The machine of the stepped runs: while the writer here stands still, either an interrupt runs on
 * this CPU, or the reader on another.
 */
void kt_shim_step(void)
{
	if (!is_stepped || is_spinning)
		return;
	if (level < MAX_LEVEL && !chance(level ? 200 : 60)) {
		level++;
		nr_nested++;
		do
			write_record(level);
		while (!chance(3) || (level == MAX_LEVEL && chance(400)));
		level--;
	} else if (!is_reading && !chance(500)) {
		is_reading = true;
		nr_stolen++;
		read_cpu(0, !chance(2));
		is_reading = false;
		is_spinning = false;
	}
}

/* A flush would wait for a writer that stands still until the flush ends. */
void kt_shim_relax(void)
{
	is_spinning = is_stepped;
}

static void world_reset(u32 nr_subbufs, bool overwrite)
{
	int cpu, l;

	memset(serial, 0, sizeof(serial));
	memset(fate, 0, sizeof(fate));
	memset(nr_refused, 0, sizeof(nr_refused));
	memset(nr_seen, 0, sizeof(nr_seen));
	memset(cursor, 0, sizeof(cursor));
	memset(seen_time, 0, sizeof(seen_time));
	memset(seen_end, 0, sizeof(seen_end));
	memset(seen_gaps, 0, sizeof(seen_gaps));
	memset(seen_discarded, 0, sizeof(seen_discarded));
	memset(bound, 0, sizeof(bound));
	for (cpu = 0; cpu < NR_CPUS; cpu++)
		for (l = 0; l <= MAX_LEVEL; l++)
			seen_serial[cpu][l] = -1;
	nr_stolen = 0;
	nr_nested = 0;
	nr_flushed = 0;
	level = 0;
	kt_shim_cpu = 0;
	clock_jitter = 0;
	is_stepped = false;
	ring = kt_ring_create(nr_subbufs, overwrite, SESSION, COOKIE);
	assert_non_null(ring);
}

static void world_end(void)
{
	struct kt_ring *old = ring;

	is_stepped = false;
	ring = NULL;
	kt_ring_put(old);
	assert_int_equal(kt_shim_pages, 0);
	assert_int_equal(nr_charged, 0);
}

static void drain(int cpu)
{
	read_cpu(cpu, true);
	read_cpu(cpu, true);
	read_cpu(cpu, false);
}

/* All writers are done: what became of every record must be known, and the counts must match. */
static void check_account(int cpu, bool overwrite)
{
	struct ktrace_counters c;
	u64 nr_lost = 0;
	u32 nr;

	drain(cpu);
	c = counters_of(cpu);
	for (nr = 0; nr < serial[cpu]; nr++) {
		assert_int_not_equal(fate[cpu][nr], FATE_UNKNOWN);
		nr_lost += fate[cpu][nr] == FATE_PUT;
	}
	assert_int_equal(c.produced, serial[cpu]);
	assert_int_equal(c.held, 0);
	assert_int_equal(c.dropped_full, nr_refused[cpu]);
	assert_int_equal(nr_seen[cpu] + nr_lost + nr_refused[cpu], serial[cpu]);
	if (!overwrite) {
		assert_int_equal(nr_lost, 0);
		assert_int_equal(c.dropped_overwritten, 0);
		assert_int_equal(c.acknowledged, nr_seen[cpu]);
		assert_int_equal(seen_gaps[cpu], 0);
	} else {
		/* Some were overwritten after the reader had got them. */
		assert_true(c.dropped_overwritten >= nr_lost);
		assert_true(c.acknowledged <= nr_seen[cpu]);
		assert_int_equal(c.dropped_overwritten - nr_lost, nr_seen[cpu] - c.acknowledged);
		assert_true(!nr_lost == !seen_gaps[cpu]);
	}
}

static void run_stepped(bool overwrite, u64 first_seed, u32 nr_subbufs, unsigned int jitter)
{
	u32 n;

	world_reset(nr_subbufs, overwrite);
	seed = first_seed;
	clock_jitter = jitter;
	is_stepped = true;
	for (n = 0; n < 20000; n++) {
		level = 0;
		write_record(0);
		if (!chance(300)) {
			is_reading = true;
			read_cpu(0, chance(2));
			is_reading = false;
			is_spinning = false;
		}
	}
	is_stepped = false;
	check_account(0, overwrite);
	assert_true(nr_nested > 1000);
	assert_true(nr_stolen > 10);
	world_end();
}

static void test_stepped_discard(void **state)
{
	u64 s;

	for (s = 1; s <= 20; s++)
		run_stepped(false, s, s & 1 ? 2 : 8, s & 2 ? 50 : 0);
}

static void test_stepped_overwrite(void **state)
{
	u64 s;

	for (s = 1; s <= 20; s++)
		run_stepped(true, s, s & 1 ? 2 : 8, s & 2 ? 50 : 0);
}

/* Threads and signals. */
static volatile bool is_stopping;
static int nr_running;
static pthread_t writer[NR_CPUS];

static void interrupt(int nr)
{
	int n, this_level = nr == SIGUSR1 ? 1 : 2;

	for (n = 0; n < 3; n++)
		write_record(this_level);
}

static void *writer_main(void *arg)
{
	struct timespec pause = { 0, 20000 };
	sigset_t set;
	u32 n;

	kt_shim_cpu = (int)(long)arg;
	seed = kt_shim_cpu + 1;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	for (n = 0; n < 400000; n++) {
		write_record(0);
		if (!(n % 1000))
			nanosleep(&pause, NULL);
	}
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	__atomic_fetch_sub(&nr_running, 1, __ATOMIC_SEQ_CST);
	while (!is_stopping)
		nanosleep(&pause, NULL);
	return NULL;
}

static void *kicker_main(void *arg)
{
	struct timespec pause = { 0, 5000 };
	int cpu;

	while (__atomic_load_n(&nr_running, __ATOMIC_SEQ_CST)) {
		for (cpu = 0; cpu < NR_CPUS; cpu++) {
			pthread_kill(writer[cpu], SIGUSR1);
			pthread_kill(writer[cpu], SIGUSR2);
		}
		nanosleep(&pause, NULL);
	}
	is_stopping = true;
	return NULL;
}

static void handle_signals(void)
{
	struct sigaction action = { .sa_handler = interrupt, .sa_flags = SA_RESTART };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGUSR2, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
}

static void run_threads(bool overwrite, unsigned int jitter)
{
	pthread_t kicker;
	int cpu, nr_interrupted = 0;
	u32 turn = 0;

	world_reset(4, overwrite);
	clock_jitter = jitter;
	handle_signals();
	is_stopping = false;
	nr_running = NR_CPUS;
	for (cpu = 0; cpu < NR_CPUS; cpu++)
		pthread_create(&writer[cpu], NULL, writer_main, (void *)(long)cpu);
	pthread_create(&kicker, NULL, kicker_main, NULL);
	while (__atomic_load_n(&nr_running, __ATOMIC_SEQ_CST))
		for (cpu = 0; cpu < NR_CPUS; cpu++)
			read_cpu(cpu, turn++ % 3 == 0);
	pthread_join(kicker, NULL);
	for (cpu = 0; cpu < NR_CPUS; cpu++)
		pthread_join(writer[cpu], NULL);
	for (cpu = 0; cpu < NR_CPUS; cpu++) {
		check_account(cpu, overwrite);
		assert_true(nr_seen[cpu] > 0);
		nr_interrupted += serial[cpu] > 400000;
	}
	assert_true(nr_interrupted > 0);
	world_end();
}

static void test_threads_discard(void **state)
{
	run_threads(false, 0);
	run_threads(false, 5000);
}

static void test_threads_overwrite(void **state)
{
	run_threads(true, 0);
	run_threads(true, 5000);
}

/* Without a reader, discard keeps the oldest records, and overwrite the newest. */
static void test_full_keeps_oldest(void **state)
{
	struct ktrace_counters c;
	u32 n, nr_put;

	world_reset(2, false);
	for (n = 0; n < 3000; n++)
		write_record(0);
	c = counters_of(0);
	nr_put = 3000 - nr_refused[0];
	assert_int_equal(c.produced, 3000);
	assert_int_equal(c.held, nr_put);
	assert_true(nr_refused[0] > 0);
	/* After one record was refused, a shorter one may still have had room. */
	assert_int_equal(fate[0][0], FATE_PUT);
	assert_int_equal(fate[0][2999], FATE_REFUSED);
	check_account(0, false);
	assert_int_equal(nr_seen[0], nr_put);
	assert_int_equal(cursor[0], 2);
	assert_int_equal(seen_discarded[0], nr_refused[0]);
	write_record(0);
	assert_int_equal(counters_of(0).held, 1);
	world_end();
}

static void test_overwrite_keeps_newest(void **state)
{
	u32 n;

	world_reset(4, true);
	for (n = 0; n < 5000; n++)
		write_record(0);
	assert_int_equal(nr_refused[0], 0);
	check_account(0, true);
	assert_int_equal(fate[0][4999], FATE_SEEN);
	assert_int_equal(fate[0][0], FATE_PUT);
	for (n = 5000 - nr_seen[0]; n < 5000; n++)
		assert_int_equal(fate[0][n], FATE_SEEN);
	assert_true(nr_seen[0] > 3 * 15000 / 80);
	world_end();
}

/* A packet that a slow reader holds keeps its content, and counts as lost. */
static void test_overwrite_under_reader(void **state)
{
	u64 nr = 0;
	const void *data;
	size_t len;
	u8 before[KTRACE_PACKET_LEN];
	u32 n;

	world_reset(2, true);
	for (n = 0; n < 400; n++)
		write_record(0);
	assert_int_equal(kt_ring_packet(ring, 0, &nr, &data, &len), 0);
	memcpy(before, data, len);
	for (n = 0; n < 4000; n++)
		write_record(0);
	assert_memory_equal(before, data, len);
	kt_ring_acknowledge(ring, 0, nr + 1);
	assert_int_equal(counters_of(0).acknowledged, 0);
	check_account(0, true);
	world_end();
}

static void test_flush(void **state)
{
	const struct ktrace_packet *p;
	struct kt_ring_slot slot;
	const void *data;
	size_t len;
	u64 nr = 0, first;

	world_reset(2, false);
	kt_shim_cpu = 1;
	assert_true(kt_ring_flush(ring, 1) != 0);
	assert_int_equal(kt_ring_packet(ring, 1, &nr, &data, &len), -EAGAIN);
	assert_false(write_record(0));
	assert_int_equal(kt_ring_packet(ring, 1, &nr, &data, &len), -EAGAIN);
	kt_shim_cpu = 0;
	first = kt_ring_flush(ring, 1);
	assert_true(first != 0);
	assert_int_equal(kt_ring_packet(ring, 1, &nr, &data, &len), 0);
	p = data;
	assert_int_equal(nr, 0);
	assert_int_equal(len, 80 + 24 + 8);
	assert_int_equal(p->nr_records, 1);
	assert_true(p->time_end == p->time_begin && p->time_end <= first);
	check_packet(1, nr, data, len);
	/* The packet is read again until it is acknowledged. */
	nr = 0;
	assert_int_equal(kt_ring_packet(ring, 1, &nr, &data, &len), 0);
	kt_ring_acknowledge(ring, 1, 1);
	nr = 0;
	assert_int_equal(kt_ring_packet(ring, 1, &nr, &data, &len), -EAGAIN);
	assert_int_equal(counters_of(1).acknowledged, 1);

	/* With a writer still inside, the packet is closed, but neither complete nor promised. */
	kt_shim_cpu = 1;
	assert_true(kt_ring_reserve(ring, 24, &slot));
	assert_true(kt_ring_flush(ring, 1) == 0);
	assert_int_equal(kt_ring_packet(ring, 1, &nr, &data, &len), -EAGAIN);
	kt_ring_acknowledge(ring, 1, ~0ULL);
	assert_int_equal(counters_of(1).held, 1);
	assert_true(kt_ring_commit(ring, &slot));
	assert_int_equal(kt_ring_packet(ring, 1, &nr, &data, &len), 0);
	assert_int_equal(nr, 1);
	kt_ring_acknowledge(ring, 1, ~0ULL);
	assert_int_equal(counters_of(1).acknowledged, 2);
	world_end();
}

/* All sub-buffers are taken, and the last one can still be closed and read. */
static void test_flush_full(void **state)
{
	struct kt_ring_slot slot;
	u64 nr;

	world_reset(2, false);
	for (nr = 0; nr < 2; nr++) {
		write_record(0);
		assert_true(kt_ring_flush(ring, 0) != 0);
	}
	assert_false(kt_ring_reserve(ring, 24, &slot));
	read_cpu(0, true);
	assert_int_equal(cursor[0], 2);
	assert_false(kt_ring_reserve(ring, 24, &slot));
	kt_ring_acknowledge(ring, 0, 1);
	assert_false(write_record(0));
	assert_int_equal(nr_refused[0], 0);
	assert_int_equal(counters_of(0).dropped_full, 2);
	world_end();
}

static void test_lengths(void **state)
{
	struct kt_ring_slot slot;
	const void *data;
	size_t len;
	u64 nr = 0;

	world_reset(2, false);
	assert_false(kt_ring_reserve(ring, KTRACE_PACKET_LEN - 80 + 8, &slot));
	assert_true(kt_ring_reserve(ring, KTRACE_PACKET_LEN - 80, &slot));
	memset(slot.data, 0, KTRACE_PACKET_LEN - 80);
	assert_false(kt_ring_commit(ring, &slot));
	assert_true(kt_ring_reserve(ring, 8, &slot));
	assert_true(kt_ring_commit(ring, &slot));
	assert_int_equal(kt_ring_packet(ring, 0, &nr, &data, &len), 0);
	assert_int_equal(len, KTRACE_PACKET_LEN);
	world_end();
}

static void test_numbers_wrap(void **state)
{
	u32 n;

	world_reset(2, false);
	for (n = 0; n < 3U << NR_BITS; n++) {
		write_record(0);
		read_cpu(0, true);
	}
	assert_int_equal(cursor[0], 3U << NR_BITS);
	check_account(0, false);
	world_end();
}

/* The record count of head exceeds 2^27, and its carry affects no other field. */
static void test_counts_wrap(void **state)
{
	struct kt_ring_cpu *c;
	u64 start = (COUNT_MASK >> COUNT_SHIFT) - 100;
	u32 n;

	world_reset(4, true);
	c = ring->cpu[0];
	atomic64_set(&c->head, EMPTY + (start << COUNT_SHIFT) + EPOCH_MASK);
	atomic64_set(&c->acknowledged, start);
	for (n = 0; n < 3000; n++)
		write_record(0);
	read_cpu(0, true);
	kt_ring_flush(ring, 0);
	kt_ring_acknowledge(ring, 0, ~0ULL);
	assert_true(counters_of(0).produced == start + 3000);
	assert_int_equal(counters_of(0).held, 0);
	world_end();
}

static void test_create_fails(void **state)
{
	long n;

	assert_null(kt_ring_create(0, false, 1, 1));
	assert_null(kt_ring_create(1, false, 1, 1));
	assert_null(kt_ring_create(3, false, 1, 1));
	assert_null(kt_ring_create(KT_RING_MAX_SUBBUFS * 2, false, 1, 1));
	for (n = 0;; n++) {
		struct kt_ring *r;

		kt_shim_fail_after = n;
		r = kt_ring_create(4, true, 1, 1);
		kt_shim_fail_after = -1;
		if (r) {
			assert_int_equal(nr_charged, kt_ring_mem(4));
			kt_ring_put(r);
			break;
		}
		assert_int_equal(kt_shim_pages, 0);
		assert_int_equal(nr_charged, 0);
	}
	assert_int_equal(n, 2 + NR_CPUS * 6);
	assert_int_equal(kt_shim_pages, 0);
	kt_ring_put(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_create_fails),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_flush),
		cmocka_unit_test(test_flush_full),
		cmocka_unit_test(test_full_keeps_oldest),
		cmocka_unit_test(test_overwrite_keeps_newest),
		cmocka_unit_test(test_overwrite_under_reader),
		cmocka_unit_test(test_numbers_wrap),
		cmocka_unit_test(test_counts_wrap),
		cmocka_unit_test(test_stepped_discard),
		cmocka_unit_test(test_stepped_overwrite),
		cmocka_unit_test(test_threads_discard),
		cmocka_unit_test(test_threads_overwrite),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
