// SPDX-License-Identifier: GPL-2.0
/* A syslog server by TCP: RFC 5424, with octet counting (RFC 6587). */
#include "report/json_line.h"
#include "stream/sink.h"
#include "stream/syslog_5424.h"

#define AT_ONCE 256	/* messages */
#define COUNT_LEN 16

static int open_connection(struct link *link, struct err *err)
{
	return link_connect(link, "514", err);
}

/* Writes some messages, each behind its length. */
static int send_some(struct link *link, const struct part *part, uint32_t nr, struct err *err)
{
	char counts[AT_ONCE][COUNT_LEN], *end;
	struct iovec iov[2 * AT_ONCE];
	uint32_t i, begin, len;

	for (i = 0; i < nr; i++) {
		begin = part_begin_of(part, link->done + i);
		len = part->ends[link->done + i] - begin;
		end = json_put(json_put_u64(counts[i], len), " ");
		iov[2 * i] = (struct iovec){ counts[i], end - counts[i] };
		iov[2 * i + 1] = (struct iovec){ (char *)part->bytes + begin, len };
	}
	if (link_write(link, iov, 2 * nr, err))
		return -1;
	link->done += nr;
	return 0;
}

/* The first write to a connection that the server has closed would succeed, and be lost. */
static int send_all(struct link *link, const struct part *part, struct err *err)
{
	uint32_t left;

	if (link_is_closed(link))
		return err_set(err, "the server has closed the connection");
	while ((left = part->nr - link->done))
		if (send_some(link, part, left < AT_ONCE ? left : AT_ONCE, err))
			return -1;
	return 0;
}

static const struct transport transport = { .open = open_connection, .send = send_all };

const struct sink_kind sink_syslog_tcp = {
	.name = "syslog:tcp",
	.address = "HOST[:PORT]",
	.needs_address = true,
	.check = link_check,
	.promise = "a message is in a buffer of the connection; a server that is killed loses that buffer",
	.max_message = 8096,
	.put = syslog_5424_put,
	.transport = &transport,
};
