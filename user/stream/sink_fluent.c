// SPDX-License-Identifier: GPL-2.0
/*
 * The Fluent forward protocol. A part is one message, [TAG, ENTRIES, {"chunk": ID, "size": NR}],
 * and the collector answers {"ack": ID}.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream/msgpack.h"
#include "stream/record_msgpack.h"
#include "stream/sink.h"
#include "util/clock.h"

#define TAG "ktrace"
#define ACK_SECONDS 190		/* fluentd waits as long for another fluentd */
#define ACK_LEN 256		/* at most */
#define CHUNK_LEN (IDENTITY_LEN + 16)

/*
 * The name of what is left of a part. A part that is sent again has the same name. A part without
 * records has the time as its name, because collectors may drop a name that they know.
 */
static void name_chunk(char chunk[CHUNK_LEN], const struct part *part, uint32_t done)
{
	if (!*part->id)
		snprintf(chunk, CHUNK_LEN, "at.%llu", (unsigned long long)clock_now_ns());
	else if (done)
		snprintf(chunk, CHUNK_LEN, "%s+%u", part->id, part->nr - done);
	else
		snprintf(chunk, CHUNK_LEN, "%s", part->id);
}

static char *put_chunk(char *to, const char *chunk)
{
	size_t len = strlen(chunk);

	return (char *)memcpy(msgpack_put_text_head(to, len), chunk, len) + len;
}

static int write_part(struct link *link, const struct part *part, const char *chunk, struct err *err)
{
	uint32_t begin = part_begin_of(part, link->done), len = part_len(part) - begin;
	char head[2 * MSGPACK_LEN + sizeof(TAG)], options[4 * MSGPACK_LEN + CHUNK_LEN + 16], *to;
	struct iovec iov[3] = { { head, 0 }, { (char *)part->bytes + begin, len }, { options, 0 } };

	to = msgpack_put_word(msgpack_put_array_head(head, 3), TAG);
	iov[0].iov_len = msgpack_put_bytes_head(to, len) - head;
	to = msgpack_put_word(msgpack_put_map_head(options, 2), "chunk");
	to = msgpack_put_word(put_chunk(to, chunk), "size");
	iov[2].iov_len = msgpack_put_u64(to, part->nr - link->done) - options;
	return link_write(link, iov, 3, err);
}

/* Checks what has arrived. Returns 1 for the right answer, 0 if more bytes must come, or -1. */
static int check(const char *in, size_t len, const char *chunk, struct err *err)
{
	static const char hello[] = "\x92\xa4HELO";
	size_t of_hello = len < sizeof(hello) - 1 ? len : sizeof(hello) - 1, ack_len;
	const char *ack;
	int read = msgpack_read_pair(in, len, "ack", &ack, &ack_len);

	if (len && !memcmp(in, hello, of_hello))
		return err_set(err, "the collector asks for a shared key, which ktrace does not have: "
			       "let it listen on an address without <security>");
	if (read < 0 || (!read && len == ACK_LEN) || (read && (size_t)read < len))
		return err_set(err, "the collector's answer is no acknowledgement: check address and "
			       "port");
	if (!read)
		return 0;
	if (ack_len != strlen(chunk) || memcmp(ack, chunk, ack_len))
		return err_set(err, "the collector acknowledges the chunk %.*s, not %s", (int)ack_len,
			       ack, chunk);
	return 1;
}

static int wait_for_ack(struct link *link, const char *chunk, struct err *err)
{
	uint64_t until = clock_now_ns() + ACK_SECONDS * CLOCK_SECOND, now;
	char in[ACK_LEN];
	size_t all = 0;
	ssize_t len;
	int checked;

	while (!(checked = check(in, all, chunk, err))) {
		now = clock_now_ns();
		if (now >= until)
			return err_set(err, "the answer is not complete after %d s", ACK_SECONDS);
		len = link_read(link, in + all, sizeof(in) - all, (until - now) / 1000000 + 1, err);
		if (len < 0)
			return -1;
		all += len;
	}
	return checked < 0 ? -1 : 0;
}

/* Other programs for this protocol write paths as unix:/PATH. */
static int fluent_open(struct link *link, struct err *err)
{
	static const char prefix[] = "unix:/";

	if (!strncmp(link->address, prefix, sizeof(prefix) - 1))
		link->address += sizeof(prefix) - 2;
	return link_connect(link, "24224", err);
}

static int fluent_send(struct link *link, const struct part *part, struct err *err)
{
	char chunk[CHUNK_LEN];

	if (link->done == part->nr)
		return 0;
	name_chunk(chunk, part, link->done);
	if (write_part(link, part, chunk, err) || wait_for_ack(link, chunk, err))
		return -1;
	link->done = part->nr;
	return 0;
}

static const struct transport transport = { .open = fluent_open, .send = fluent_send };

static int check_address(const char *address, struct err *err)
{
	return strncmp(address, "unix:/", 6) ? link_check(address, err) : 0;
}

const struct sink_kind sink_fluent = {
	.name = "fluent",
	.address = "HOST[:PORT]|PATH",
	.needs_address = true,
	.check = check_address,
	.is_confirmed = true,
	.promise = "the collector has acknowledged each packet; what its own buffer loses later is lost",
	.max_message = PART_LEN,
	.put = record_put_msgpack,
	.transport = &transport,
};
