// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keep/packets.h"
#include "util/mem.h"

#define LONGEST_PACKET (64 << 10)	/* of any version: a window has room for it */

#define NO_PACKET "it has bytes that are no packet"

_Static_assert(KTRACE_PACKET_LEN <= LONGEST_PACKET, "a packet fits in a window");

int packets_open(struct packets *packets, struct kept_session *session, int folder,
		 const char *name, uint32_t cpu, struct err *err)
{
	struct stat st;

	memset(packets, 0, sizeof(*packets));
	packets->session = session;
	packets->cpu = cpu;
	packets->name = mem_format("%s/%s", session->folder, name);
	packets->fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (packets->fd < 0)
		return err_set(err, "%s of the recording cannot be opened: %s; all its streams must be files that you may read.",
			       packets->name, strerror(errno));
	if (fstat(packets->fd, &st) || !S_ISREG(st.st_mode))
		return err_set(err, "%s of the recording is no regular file; remove it, or name another recording.",
			       packets->name);
	packets->size = st.st_size;
	return 0;
}

/* A short file needs a short window. */
void packets_set_window(struct packets *packets, size_t room)
{
	room = room < LONGEST_PACKET ? LONGEST_PACKET : room;
	packets->room = packets->size < room ? packets->size + 1 : room;
	packets->window = mem_alloc(packets->room);
}

void packets_close(struct packets *packets)
{
	if (packets->fd >= 0)
		close(packets->fd);
	free(packets->window);
	free(packets->name);
	memset(packets, 0, sizeof(*packets));
	packets->fd = -1;
}

/* --- the window ----------------------------------------------------------------- */

/* Makes len bytes of the file available from pos on. Returns false if the file has less. */
static bool load(struct packets *packets, size_t len)
{
	size_t left = packets->len - packets->pos;
	ssize_t got;

	if (left >= len)
		return true;
	memmove(packets->window, packets->window + packets->pos, left);
	packets->len = left;
	packets->pos = 0;
	while (packets->len < len) {
		got = pread(packets->fd, packets->window + packets->len,
			    packets->room - packets->len, packets->at + packets->len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			packets->damage = "it cannot be read";
		if (got <= 0)
			return false;
		packets->len += got;
	}
	return true;
}

/* --- packets -------------------------------------------------------------------- */

static const char *fault_of(const struct packets *packets, const struct ktrace_packet *head)
{
	if (head->magic != KTRACE_CTF_MAGIC)
		return NO_PACKET;
	if (memcmp(head->uuid, packets->session->uuid, sizeof(head->uuid)))
		return "it has a packet of another session";
	if (head->cpu_id != packets->cpu || head->stream_id)
		return "it has a packet of another CPU";
	if (head->packet_bits % 64 || head->content_bits % 64 ||
	    head->content_bits > head->packet_bits || head->content_bits / 8 < sizeof(*head) ||
	    head->packet_bits / 8 > LONGEST_PACKET)
		return "a packet has a wrong length";
	return NULL;
}

static bool end_here(struct packets *packets, const char *why)
{
	packets->record = NULL;
	packets->packet = NULL;
	packets->missing = 0;
	if (!packets->damage && packets->size > packets->at)
		packets->damage = why;
	return false;
}

/* A packet that was not written whole is one up to where it ends: other bytes are never cut. */
static bool end_torn(struct packets *packets)
{
	static const uint32_t magic = KTRACE_CTF_MAGIC;
	size_t left = packets->len - packets->pos;

	if (memcmp(packets->window + packets->pos, &magic, left < sizeof(magic) ? left : sizeof(magic)))
		return end_here(packets, NO_PACKET);
	packets->is_torn = !packets->damage && packets->size > packets->at;
	return end_here(packets, "it ends in the middle of a packet");
}

/*
 * Counts what was lost before this packet: records by events_discarded, or a number that nobody
 * knows if packets are missing.
 */
static bool has_gap(struct packets *packets, const struct ktrace_packet *head)
{
	bool is_known = packets->has_packet, is_gap;

	packets->missing = is_known && head->events_discarded > packets->discarded ?
			   head->events_discarded - packets->discarded : 0;
	is_gap = packets->missing || (is_known && head->packet_seq != packets->seq + 1);
	packets->has_packet = true;
	packets->discarded = head->events_discarded;
	packets->seq = head->packet_seq;
	return is_gap;
}

/* Loads the packet at pos. Sets record to what is before its first record, as a place to go on. */
static bool begin_packet(struct packets *packets)
{
	const struct ktrace_packet *head;
	const char *fault;

	if (!load(packets, sizeof(*head)))
		return end_torn(packets);
	head = (const void *)(packets->window + packets->pos);
	fault = fault_of(packets, head);
	if (fault)
		return end_here(packets, fault);
	if (!load(packets, head->packet_bits / 8))
		return end_torn(packets);
	packets->packet = (const void *)(packets->window + packets->pos);
	packets->record = NULL;
	packets->record_len = sizeof(*head);
	return true;
}

static bool next_packet(struct packets *packets)
{
	size_t len = packets->packet ? packets->packet->packet_bits / 8 : 0;

	packets->at += len;
	packets->pos += len;
	return begin_packet(packets);
}

/* A record that does not end in its packet: the rest of the packet is lost. */
static bool has_record(struct packets *packets)
{
	const char *begin = (const char *)packets->packet;
	size_t end = packets->packet->content_bits / 8;
	size_t at = packets->record ? (const char *)packets->record - begin + packets->record_len :
				      packets->record_len;
	const struct ktrace_record *record = (const void *)(begin + at);
	size_t len = sizeof(*record);

	if (at + len <= end)
		len += PACKETS_WORDS(record) * sizeof(uint64_t);
	if (at + len > end) {
		packets->session->nr_unknown += at < end;
		return false;
	}
	packets->record = record;
	packets->record_len = len;
	if (record->time > packets->time)
		packets->time = record->time;
	return true;
}

bool packets_next_slowly(struct packets *packets)
{
	if (packets->packet && has_record(packets))
		return true;
	for (;;) {
		if (!next_packet(packets))
			return false;
		if (has_gap(packets, packets->packet)) {
			if (packets->packet->time_begin > packets->time)
				packets->time = packets->packet->time_begin;
			return true;
		}
		if (has_record(packets))
			return true;
	}
}
