// SPDX-License-Identifier: GPL-2.0
/*
 * Stands in for the module, for tests of `ktrace stream` on any machine: a session "web" whose rings
 * are in a file, so that they outlive a streamer that is killed, as those of the module do.
 *
 * KTRACE_PLAYED=FILE:CPUS:PACKETS:RECORDS:RING:PERIOD: each CPU produces PACKETS packets of RECORDS
 * records, one each PERIOD us (0: as soon as there is room), and has room for RING packets. The
 * session has stopped when all are produced. Its table of functions is always the same.
 *
 * KTRACE_PLAYED_SESSIONS=NR: there are NR such sessions, web, web-1, web-2 and so on.
 * KTRACE_PLAYED_TABLE=ROWS:PERIOD: each session has another table, with a row for each of ROWS
 * tasks. Every PERIOD us (0: never) a task ends, and its row with it, and another begins.
 * KTRACE_PLAYED_NO_STOP=1: sessions cannot be stopped.
 * KTRACE_PLAYED_MADE=FILE: lists sessions that are made or deleted there.
 * KTRACE_PLAYED_NOTICE=1: there is a notice, until it is read.
 * KTRACE_PLAYED_TABLES=1: it takes tables for unwinding.
 * KTRACE_PLAYED_REFUSED=PROVIDER: there is no memory for its sessions.
 * KTRACE_PLAYED_STACKS=NR: sessions with stacks have so many.
 * KTRACE_PLAYED_GONE=FILE: when this file is there, other sessions than web are deleted.
 * KTRACE_PLAYED_ANEW=1: each command finds empty rings.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "client/client.h"
#include "client/parts.h"
#include "live.h"
#include "made.h"
#include "report/hist.h"
#include "session/module.h"
#include "uapi/ktrace_record.h"

#define MAX_CPUS 64
#define MAX_SESSIONS 64
#define COOKIE 0xfeed00000000cafeULL
#define BEGIN 1000000000ULL	/* ns: time of the first record */

static struct plan_of {
	unsigned int cpus, records, ring, sessions;
	unsigned long packets, period, rows, row_period;
} plan = { .sessions = 1 };

/* In the file, by session. */
static struct played {
	uint64_t magic, begun;
	int32_t reader;
	struct played_cpu {
		uint64_t slots;		/* packets that were due so far */
		uint64_t produced;	/* packets that had room */
		uint64_t acked;		/* packets */
		uint64_t dropped;	/* records */
		uint64_t dropped_at[65536];	/* by packet: records lost before it */
	} cpus[MAX_CPUS];
} *all;

static uint64_t now_of(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static void fail(const char *what)
{
	perror(what);
	exit(99);
}

static void begin(void)
{
	const char *text = getenv("KTRACE_PLAYED"), *nr = getenv("KTRACE_PLAYED_SESSIONS");
	const char *table = getenv("KTRACE_PLAYED_TABLE");
	char path[512];
	unsigned int i;
	int fd;

	if (!text || sscanf(text, "%511[^:]:%u:%lu:%u:%u:%lu", path, &plan.cpus, &plan.packets,
			    &plan.records, &plan.ring, &plan.period) != 6)
		fail("KTRACE_PLAYED");
	if (nr && (sscanf(nr, "%u", &plan.sessions) != 1 || plan.sessions > MAX_SESSIONS))
		fail("KTRACE_PLAYED_SESSIONS");
	if (table && sscanf(table, "%lu:%lu", &plan.rows, &plan.row_period) != 2)
		fail("KTRACE_PLAYED_TABLE");
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0 && getenv("KTRACE_PLAYED_ANEW") && ftruncate(fd, 0))
		fail(path);
	if (fd < 0 || ftruncate(fd, plan.sessions * sizeof(*all)))
		fail(path);
	all = mmap(NULL, plan.sessions * sizeof(*all), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (all == MAP_FAILED)
		fail(path);
	close(fd);
	for (i = 0; i < plan.sessions; i++)
		if (!all[i].begun)
			all[i].begun = now_of(CLOCK_MONOTONIC);
}

/* Produces what is due. A packet without room is lost. */
static void produce(struct played *played)
{
	uint64_t due = plan.packets, passed;
	struct played_cpu *cpu;

	if (made_is_stopped(FIRST_ID + (played - all)))
		return;
	if (plan.period) {
		passed = (now_of(CLOCK_MONOTONIC) - played->begun) / 1000 / plan.period;
		due = passed < due ? passed : due;
	}
	for (cpu = played->cpus; cpu < played->cpus + plan.cpus; cpu++) {
		while (cpu->slots < due) {
			if (cpu->produced - cpu->acked < plan.ring) {
				cpu->dropped_at[cpu->produced % 65536] = cpu->dropped;
				cpu->produced++;
			} else if (!plan.period) {
				break;
			} else {
				cpu->dropped += plan.records;
			}
			cpu->slots++;
		}
	}
}

static bool is_over(const struct played *played)
{
	unsigned int cpu;

	for (cpu = 0; cpu < plan.cpus; cpu++)
		if (played->cpus[cpu].slots < plan.packets)
			return false;
	return true;
}

/* --- the module, and its sessions ------------------------------------------------- */

struct ktr *module_open(struct err *err)
{
	(void)err;
	begin();
	return (struct ktr *)all;
}

struct ktr *module_open_to_begin(struct err *err)
{
	return module_open(err);
}

int ktr_info_sized(struct ktr *ktr, struct ktr_info *info, size_t len)
{
	(void)ktr;
	memset(info, 0, len);
	strcpy(info->version, "0.played");
	info->abi = KTRACE_ABI;
	info->features = getenv("KTRACE_PLAYED_TABLES") ? KTRACE_FEATURE_UNWIND : 0;
	return 0;
}

void ktr_close(struct ktr *ktr)
{
	(void)ktr;
}

static int notices = -1;

int ktr_notice_fd(struct ktr *ktr)
{
	(void)ktr;
	if (notices < 0 && getenv("KTRACE_PLAYED_NOTICE"))
		notices = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);
	return notices;
}

void ktr_notices_drain(struct ktr *ktr)
{
	uint64_t nr;

	(void)ktr;
	if (notices >= 0 && read(notices, &nr, sizeof(nr)) < 0)
		return;
}

void ktr_maps_keep(struct ktr *ktr, bool are_kept)
{
	(void)ktr, (void)are_kept;
}

bool ktr_maps_take(struct ktr *ktr, struct ktr_notice *notice)
{
	(void)ktr, (void)notice;
	return false;
}

const char *ktr_reason(const struct ktr *ktr, int error)
{
	(void)ktr;
	return strerror(-error);
}

static void count(struct ktrace_counters *counters, const struct played *played)
{
	const struct played_cpu *cpu;

	for (cpu = played->cpus; cpu < played->cpus + plan.cpus; cpu++) {
		counters->produced += cpu->produced * plan.records + cpu->dropped;
		counters->dropped += cpu->dropped;
		counters->dropped_full += cpu->dropped;
		counters->acknowledged += cpu->acked * plan.records;
		counters->held += (cpu->produced - cpu->acked) * plan.records;
	}
}

/* The table by task, besides the one by function. */
static void set_table(struct ktr_session *session)
{
	session->sinks |= KTRACE_SINK_TABLE;
	session->table = (struct ktrace_table){
		.flags = KTRACE_TABLE_HISTOGRAM, .max_rows = KTRACE_TABLE_ROWS,
		.keys = { KTRACE_KEY_COMM },
	};
}

int ktr_session_get_sized(struct ktr *ktr, uint64_t id, struct ktr_session *session, size_t len)
{
	const char *step = getenv("KTRACE_PLAYED_STEP");
	struct played *played = &all[id - FIRST_ID];

	(void)ktr;
	memset(session, 0, len);
	if (made_is_deleted(id))
		return -ENOENT;
	produce(played);
	session->id = id;
	session->cookie = COOKIE + id - FIRST_ID;
	session->nr_subbufs = plan.ring;
	sprintf(session->name, id > FIRST_ID ? "web-%d" : "web", (int)(id - FIRST_ID));
	session->state = is_over(played) ? KTRACE_STATE_STOPPED : KTRACE_STATE_ACTIVE;
	session->provider = KTRACE_PROVIDER_USER;
	session->sinks = KTRACE_SINK_HIST | KTRACE_SINK_STREAM;
	session->nr_funcs = session->nr_used = 3;
	session->now.monotonic = now_of(CLOCK_MONOTONIC);
	session->now.realtime = now_of(CLOCK_REALTIME);
	if (step && session->now.monotonic - played->begun > 300000000)
		session->now.realtime += atoll(step) * 1000000000LL;
	session->reader = played->reader;
	count(&session->counters, played);
	if (plan.rows)
		set_table(session);
	made_fill(session);
	live_fill(session);
	return 0;
}

int ktr_session_find_sized(struct ktr *ktr, const char *name, struct ktr_session *session,
			   size_t len)
{
	unsigned int i;

	for (i = 0; i < plan.sessions; i++) {
		ktr_session_get_sized(ktr, FIRST_ID + i, session, len);
		if (!strcmp(session->name, name))
			return 0;
	}
	return -ENOENT;
}

int ktr_session_each(struct ktr *ktr, ktr_session_fn fn, void *arg)
{
	struct ktr_session session;
	unsigned int i;

	for (i = 0; i < plan.sessions; i++) {
		ktr_session_get_sized(ktr, FIRST_ID + i, &session, sizeof(session));
		fn(arg, &session);
	}
	return 0;
}

/* The caller frees the list. */
int ktr_session_list(struct ktr *ktr, struct ktr_session **sessions, size_t *nr)
{
	*sessions = malloc(plan.sessions * sizeof(**sessions));
	if (!*sessions)
		return -ENOMEM;
	for (*nr = 0; *nr < plan.sessions; ++*nr)
		ktr_session_get_sized(ktr, FIRST_ID + *nr, &(*sessions)[*nr], sizeof(**sessions));
	return 0;
}

/* The functions have offsets only: "[00+0x10]". */
int ktr_func_each(struct ktr *ktr, uint64_t id, uint32_t flags, ktr_func_fn fn, void *arg)
{
	struct ktr_func func = { .build_id_len = 1 };

	(void)ktr, (void)id, (void)flags;
	for (; func.func < 3; func.func++) {
		func.offset = 16 * func.func;
		fn(arg, &func);
	}
	return 0;
}

#define FIGURE(of) { .id = KTRACE_FIGURE_##of, .kind = KTRACE_COLUMN_SUM }
static const struct ktr_table functions = {
	.shape.flags = KTRACE_TABLE_HISTOGRAM,
	.columns = (const struct ktrace_column[]){
		{ .name = "function", .id = KTRACE_KEY_FUNCTION, .is_key = 1,
		  .kind = KTRACE_COLUMN_NUMBER },
		FIGURE(CALLS), FIGURE(TOTAL),
	},
	.at = (const uint32_t[]){ 0, 1, 2 }, .nr_columns = 3,
};
static const struct ktr_table tasks = {
	.shape = { .flags = KTRACE_TABLE_HISTOGRAM, .max_rows = KTRACE_TABLE_ROWS },
	.columns = (const struct ktrace_column[]){
		{ .name = "comm", .id = KTRACE_KEY_COMM, .is_key = 1, .kind = KTRACE_COLUMN_TEXT },
		FIGURE(CALLS), FIGURE(TOTAL),
	},
	.at = (const uint32_t[]){ 0, 2, 3 }, .nr_columns = 3,
};

/* 1000 calls, of NR * 1 us, NR * 4 us, NR * 9 us and so on. Returns their sum. */
static uint64_t add_calls(struct hist *hist, uint64_t nr)
{
	uint64_t sum = 0, i;

	for (i = 1; i <= 1000; i++) {
		hist_add(hist, nr * i * i * 1000);
		sum += nr * i * i * 1000;
	}
	return sum;
}

static void give_function(uint64_t func, ktr_row_fn fn, void *arg)
{
	struct hist hist = { NULL, 0 };
	uint64_t cells[] = { func, 1000, add_calls(&hist, func + 1) };

	fn(arg, &(struct ktr_row){
		.table = &functions, .cells = cells, .buckets = hist.buckets, .nr_buckets = hist.nr,
	});
	hist_free(&hist);
}

static void give_tasks(const struct played *played, ktr_row_fn fn, void *arg)
{
	uint64_t passed = (now_of(CLOCK_MONOTONIC) - played->begun) / 1000;
	uint64_t first = plan.row_period ? passed / plan.row_period : 0, i;
	struct hist hist = { NULL, 0 };
	struct {
		char comm[KTRACE_COLUMN_TEXT_LEN];
		uint64_t calls, total;
	} cells = { .calls = 1000, .total = add_calls(&hist, 1) };

	fn(arg, &(struct ktr_row){ .table = &tasks, .is_head = true });
	for (i = first; i < first + plan.rows; i++) {
		snprintf(cells.comm, sizeof(cells.comm), "task-%u", (unsigned int)i);
		fn(arg, &(struct ktr_row){
			.table = &tasks, .cells = (const uint64_t *)&cells,
			.buckets = hist.buckets, .nr_buckets = hist.nr,
		});
	}
	hist_free(&hist);
}

int ktr_row_each(struct ktr *ktr, uint64_t id, uint32_t flags, ktr_row_fn fn, void *arg)
{
	uint64_t func;

	(void)ktr, (void)flags;
	if (live_rows(made_provider(id), fn, arg))
		return 0;
	fn(arg, &(struct ktr_row){ .table = &functions, .is_head = true });
	for (func = 0; func < 3; func++)
		give_function(func, fn, arg);
	if (plan.rows)
		give_tasks(&all[id - FIRST_ID], fn, arg);
	return 0;
}

/* --- the stream -------------------------------------------------------------------- */

/* As large as the stream of libktrace, which has a datagram and two states of each CPU. */
struct ktr_stream {
	struct played *played;
	unsigned int cpu;
	uint64_t next[MAX_CPUS], acked[MAX_CPUS];
	uint64_t packet[KTR_RECEIVE_LEN / 8];
	struct ktr_stream_cpu states[];
};

static bool is_read_by_other(const struct played *played)
{
	return played->reader && played->reader != getpid() && !kill(played->reader, 0);
}

int ktr_stream_open(struct ktr *ktr, uint64_t session, unsigned int flags,
		    struct ktr_stream **stream)
{
	struct played *played = &all[session - FIRST_ID];
	size_t len;

	(void)ktr, (void)flags;
	*stream = NULL;
	if (is_read_by_other(played))
		return -EBUSY;
	len = sizeof(**stream) + 2 * plan.cpus * sizeof(*(*stream)->states);
	*stream = malloc(len);
	if (!*stream)
		return -ENOMEM;
	memset(*stream, 0xff, len);
	memset(*stream, 0, offsetof(struct ktr_stream, packet));
	(*stream)->played = played;
	return 0;
}

void ktr_stream_set_flags(struct ktr_stream *stream, unsigned int flags)
{
	(void)stream, (void)flags;
}

void ktr_stream_close(struct ktr_stream *stream)
{
	if (stream && stream->played->reader == getpid())
		stream->played->reader = 0;
	free(stream);
}

unsigned int ktr_stream_nr_cpus(const struct ktr_stream *stream)
{
	(void)stream;
	return plan.cpus;
}

static size_t put_exit(uint64_t *to, uint64_t time, uint32_t nr)
{
	struct ktrace_record record = {
		.time = time, .id = KTRACE_REC_EXIT, .tid = 4711, .func = nr % 3, .depth = nr % 5,
	};

	memcpy(to, &record, sizeof(record));
	to[sizeof(record) / 8] = 1000 + nr;
	return sizeof(record) / 8 + 1;
}

static void put_uuid(struct ktrace_packet *head, unsigned int session)
{
	uint64_t words[] = { FIRST_ID + session, COOKIE + session };

	memcpy(head->uuid, words, sizeof(words));
}

static void build(struct ktr_stream *stream, struct ktr_packet *to, uint64_t number)
{
	struct ktrace_packet *head = (void *)stream->packet;
	uint64_t time = BEGIN + number * plan.records * 1000, *at = (uint64_t *)(head + 1);
	unsigned int i;

	for (i = 0; i < plan.records; i++)
		at += put_exit(at, time + i * 1000, i);
	*head = (struct ktrace_packet){
		.magic = KTRACE_CTF_MAGIC, .time_begin = time,
		.time_end = time + plan.records * 1000, .packet_seq = number,
		.cpu_id = stream->cpu, .nr_records = plan.records,
		.events_discarded = stream->played->cpus[stream->cpu].dropped_at[number % 65536],
		.content_bits = 8 * ((char *)at - (char *)head),
		.packet_bits = 8 * ((char *)at - (char *)head),
	};
	put_uuid(head, stream->played - all);
	*to = (struct ktr_packet){
		.cpu = stream->cpu, .nr_records = plan.records, .number = number,
		.begin = head->time_begin, .end = head->time_end,
		.discarded = head->events_discarded, .data = head, .len = head->content_bits / 8,
	};
}

int ktr_stream_next(struct ktr_stream *stream, struct ktr_packet *packet)
{
	struct played *played = stream->played;
	struct played_cpu *cpu;
	uint64_t *next;

	if (is_read_by_other(played))
		return -EBUSY;
	played->reader = getpid();
	for (; stream->cpu < plan.cpus; stream->cpu++) {
		cpu = &played->cpus[stream->cpu];
		next = &stream->next[stream->cpu];
		if (stream->acked[stream->cpu] > cpu->acked)
			cpu->acked = stream->acked[stream->cpu];
		produce(played);
		if (*next < cpu->acked)
			*next = cpu->acked;
		if (*next < cpu->produced) {
			build(stream, packet, (*next)++);
			return 1;
		}
	}
	stream->cpu = 0;
	return 0;
}

int ktr_stream_cpu_sized(const struct ktr_stream *stream, unsigned int cpu,
			 struct ktr_stream_cpu *state, size_t len)
{
	memset(state, 0, len);
	state->clock = now_of(CLOCK_MONOTONIC);
	state->counters.dropped_full = stream->played->cpus[cpu].dropped;
	return 0;
}

void ktr_stream_ack(struct ktr_stream *stream, unsigned int cpu, uint64_t below)
{
	if (below > stream->acked[cpu])
		stream->acked[cpu] = below;
}

int ktr_stream_sync(struct ktr_stream *stream)
{
	struct played *played = stream->played;
	unsigned int cpu;

	for (cpu = 0; cpu < plan.cpus; cpu++)
		if (stream->acked[cpu] > played->cpus[cpu].acked)
			played->cpus[cpu].acked = stream->acked[cpu];
	return 0;
}

int ktr_stream_rewind(struct ktr_stream *stream)
{
	memcpy(stream->next, stream->acked, sizeof(stream->next));
	stream->cpu = 0;
	return 0;
}
