// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keep/folders.h"
#include "keep/merged.h"
#include "session/event.h"
#include "util/mem.h"

#define MOST_STREAMS 8192
#define MOST_WINDOWS (64 << 20)	/* bytes of all windows, unless even the smallest need more */
#define LARGEST_WINDOW (256 << 10)
#define LOOK_AFTER 65536	/* records */

struct merged {
	struct packets *all;
	unsigned int nr;
	struct packets **heap;	/* streams with records, the earliest on top */
	unsigned int nr_heap;
	uint64_t size;		/* of all files */
};

/* --- opening -------------------------------------------------------------------- */

static int add_stream(struct merged *merged, struct kept_session *session, int folder,
		      const char *name, uint32_t cpu, struct err *err)
{
	if (merged->nr >= MOST_STREAMS)
		return err_set(err, "%s of the recording has more than %u streams, one for each CPU; is it a recording of ktrace?",
			       session->folder, MOST_STREAMS);
	merged->all = mem_grow(merged->all, merged->nr, sizeof(*merged->all));
	return packets_open(&merged->all[merged->nr++], session, folder, name, cpu, err);
}

static int add_session(struct merged *merged, const struct recording *recording,
		       struct kept_session *session, struct err *err)
{
	int fd = openat(recording->fd, session->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	uint32_t cpu;
	int error = 0;

	if (!folder)
		return err_set(err, "The folder %s of the recording %s cannot be opened: %s; it has the records of one session. Choose another one with --session.",
			       session->folder, recording->path, strerror(errno));
	while (!error && (entry = readdir(folder)))
		if (folder_is_stream(entry->d_name, &cpu))
			error = add_stream(merged, session, fd, entry->d_name, cpu, err);
	closedir(folder);
	return error;
}

/* The order of files at the same time must not depend on the folder. */
static int by_cpu(const void *a, const void *b)
{
	const struct packets *x = a, *y = b;

	if (x->session->nr != y->session->nr)
		return x->session->nr < y->session->nr ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static void make_windows(struct merged *merged)
{
	size_t room = merged->nr ? MOST_WINDOWS / merged->nr : 0;
	unsigned int i;

	room = room > LARGEST_WINDOW ? LARGEST_WINDOW : room & ~(size_t)7;
	for (i = 0; i < merged->nr; i++) {
		merged->size += merged->all[i].size;
		packets_set_window(&merged->all[i], room);
	}
}

struct merged *merged_open(const struct recording *recording, struct kept_session *session,
			   struct err *err)
{
	struct merged *merged = mem_alloc(sizeof(*merged));
	int error = 0;
	size_t i;

	for (i = 0; i < recording->nr && !error; i++) {
		if (session && session != &recording->sessions[i])
			continue;
		recording->sessions[i].nr_records = recording->sessions[i].nr_gaps = 0;
		recording->sessions[i].nr_missing = recording->sessions[i].nr_unknown = 0;
		error = add_session(merged, recording, &recording->sessions[i], err);
	}
	if (error) {
		merged_close(merged);
		return NULL;
	}
	if (merged->nr)
		qsort(merged->all, merged->nr, sizeof(*merged->all), by_cpu);
	make_windows(merged);
	merged->heap = mem_alloc((merged->nr + 1) * sizeof(*merged->heap));
	return merged;
}

void merged_close(struct merged *merged)
{
	if (!merged)
		return;
	while (merged->nr)
		packets_close(&merged->all[--merged->nr]);
	free(merged->all);
	free(merged->heap);
	free(merged);
}

/* --- order ---------------------------------------------------------------------- */

static bool is_exit_of(const struct packets *packets, uint32_t tid)
{
	return packets->record && packets->record->id == EVENT_EXIT && packets->record->tid == tid;
}

/*
 * At the same time, a call of a thread that moved ends before its caller; otherwise the lower CPU
 * comes first.
 */
static bool is_earlier(const struct packets *a, const struct packets *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	if (a->session == b->session && a->record && is_exit_of(a, a->record->tid) &&
	    is_exit_of(b, a->record->tid) && a->record->depth != b->record->depth)
		return a->record->depth > b->record->depth;
	return a < b;
}

/* Moves a stream down the heap until the streams below it are later. */
static void sift(struct merged *merged, unsigned int at)
{
	struct packets **heap = merged->heap, *packets = heap[at];
	unsigned int below;

	for (; (below = 2 * at + 1) < merged->nr_heap; at = below) {
		if (below + 1 < merged->nr_heap && is_earlier(heap[below + 1], heap[below]))
			below++;
		if (!is_earlier(heap[below], packets))
			break;
		heap[at] = heap[below];
	}
	heap[at] = packets;
}

static void build_heap(struct merged *merged)
{
	unsigned int i;

	merged->nr_heap = 0;
	for (i = 0; i < merged->nr; i++)
		if (packets_next(&merged->all[i]))
			merged->heap[merged->nr_heap++] = &merged->all[i];
	for (i = merged->nr_heap / 2; i--;)
		sift(merged, i);
}

/* Until when the stream on top needs no comparison. */
static uint64_t next_time(const struct merged *merged)
{
	uint64_t next = UINT64_MAX;
	unsigned int i;

	for (i = 1; i < 3 && i < merged->nr_heap; i++)
		if (merged->heap[i]->time < next)
			next = merged->heap[i]->time;
	return next;
}

static double part_of(const struct merged *merged)
{
	uint64_t done = 0;
	unsigned int i;

	for (i = 0; i < merged->nr; i++)
		done += merged->all[i].at;
	return merged->size ? (double)done / merged->size : 1;
}

static void count(struct packets *packets)
{
	struct kept_session *session = packets->session;

	session->nr_records += packets->record != NULL;
	if (packets->record)
		return;
	session->nr_gaps++;
	session->nr_missing += packets->missing;
}

bool merged_each(struct merged *merged, merged_fn *fn, void *arg, merged_look *look, void *look_arg)
{
	unsigned int until_look = LOOK_AFTER;
	struct packets *packets;
	bool has_more;
	uint64_t next;

	build_heap(merged);
	while (merged->nr_heap) {
		packets = merged->heap[0];
		next = next_time(merged);
		do {
			count(packets);
			if (!fn(arg, packets))
				return false;
			if (!--until_look && look && !look(look_arg, part_of(merged)))
				return false;
			until_look = until_look ? until_look : LOOK_AFTER;
			has_more = packets_next(packets);
		} while (has_more && packets->time < next);
		if (!has_more)
			merged->heap[0] = merged->heap[--merged->nr_heap];
		if (merged->nr_heap)
			sift(merged, 0);
	}
	return true;
}

/* --- damage --------------------------------------------------------------------- */

void merged_each_damage(const struct merged *merged,
			void (*fn)(void *arg, const struct packets *packets), void *arg)
{
	unsigned int i;

	for (i = 0; i < merged->nr; i++)
		if (merged->all[i].damage)
			fn(arg, &merged->all[i]);
}

/* The file must be the one that was read, and no longer. */
static bool cut(const struct packets *packets, const struct recording *recording)
{
	int fd = openat(recording->fd, packets->name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat now, then;
	bool is_cut = fd >= 0 && !fstat(fd, &now) && !fstat(packets->fd, &then) &&
		      now.st_ino == then.st_ino && now.st_dev == then.st_dev &&
		      (uint64_t)now.st_size == packets->size && !ftruncate(fd, packets->at);

	if (fd >= 0)
		close(fd);
	return is_cut;
}

unsigned int merged_cut(const struct merged *merged, const struct recording *recording)
{
	int lock = openat(recording->fd, FACTS_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	unsigned int nr = 0, i;

	if (lock >= 0 && !flock(lock, LOCK_EX | LOCK_NB))
		for (i = 0; i < merged->nr; i++)
			nr += merged->all[i].is_torn && cut(&merged->all[i], recording);
	if (lock >= 0)
		close(lock);
	return nr;
}

/* --- records -------------------------------------------------------------------- */

bool merged_record(const struct packets *packets, struct ktr_record *record)
{
	size_t at;

	if (!packets->record) {
		*record = (struct ktr_record){
			.time = packets->time, .id = EVENT_GAP, .duration = packets->missing,
			.cpu = packets->cpu,
		};
		return false;
	}
	at = (const char *)packets->record - (const char *)packets->packet;
	return ktr_record_next(packets->packet, packets->packet->packet_bits / 8, &at, record) > 0;
}
