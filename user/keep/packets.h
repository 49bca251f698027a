/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PACKETS_H
#define PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "keep/recording.h"
#include "uapi/ktrace_record.h"
#include "util/err.h"

/*
 * The packets of one CPU. A window of the file is in memory; records are read in place. Every packet
 * is checked before its records are.
 */
struct packets {
	struct kept_session *session;
	char *name;		/* of the file, for messages: FOLDER/stream_0 */
	int fd;
	uint32_t cpu;
	uint64_t size;		/* of the file, when it was opened */
	uint64_t at;		/* of the current packet in the file */
	unsigned char *window;
	size_t room, len, pos;	/* bytes in the window; the current packet begins at pos */
	const struct ktrace_packet *packet;	/* the current one */
	const struct ktrace_record *record;	/* in it; NULL: a gap */
	size_t record_len;
	uint64_t time;		/* of the record; never decreases */
	uint64_t missing;	/* of a gap: records that were lost here; 0: not known how many */
	uint64_t discarded, seq;	/* of the last packet */
	bool has_packet;	/* they are valid */
	bool is_torn;		/* the file ends in the middle of a packet ... */
	const char *damage;	/* ... or a packet is wrong: why nothing behind it was read */
};

/* Opens a file of the session's folder. Returns 0, or -1 with err set. */
int packets_open(struct packets *packets, struct kept_session *session, int folder,
		 const char *name, uint32_t cpu, struct err *err);
/* Before the first record: the window has this many bytes, if the file has. */
void packets_set_window(struct packets *packets, size_t room);
void packets_close(struct packets *packets);

/* Goes on to the next record or gap. Returns false at the end, or at damage. */
bool packets_next_slowly(struct packets *packets);

#define PACKETS_WORDS(record)								\
	((record)->nr_payload + ((record)->id >= KTRACE_REC_SYSCALL ? 2 :		\
				 (record)->id == KTRACE_REC_EXIT))

/* The same; what most records need is inline. */
static inline bool packets_next(struct packets *packets)
{
	const struct ktrace_record *record;
	const char *end;
	size_t len;

	if (!packets->record)
		return packets_next_slowly(packets);
	end = (const char *)packets->packet + packets->packet->content_bits / 8;
	record = (const void *)((const char *)packets->record + packets->record_len);
	if ((const char *)record + sizeof(*record) > end)
		return packets_next_slowly(packets);
	len = sizeof(*record) + PACKETS_WORDS(record) * sizeof(uint64_t);
	if ((const char *)record + len > end)
		return packets_next_slowly(packets);
	packets->record = record;
	packets->record_len = len;
	if (record->time > packets->time)
		packets->time = record->time;
	return true;
}

#endif
