// SPDX-License-Identifier: GPL-2.0
/*
 * The syslog of this machine, by its socket: RFC 3164 with JSON behind "@cee:", because neither
 * journald nor rsyslog's imuxsock parses RFC 5424 there.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "report/json_line.h"
#include "stream/record_line.h"
#include "stream/sink.h"

#define SOCKET "/dev/log"
#define DAEMON_INFO "<30>"

/* Puts "Nov 28 13:11:24 ", in local time. The collector has no year; the JSON has. */
static char *put_moment(char *to, uint64_t realtime)
{
	static char text[32];
	static time_t of = -1;
	time_t now = realtime / 1000000000;
	struct tm tm;

	if (now != of && localtime_r(&now, &tm)) {
		strftime(text, sizeof(text), "%b %e %H:%M:%S ", &tm);
		of = now;
	}
	return json_put(to, text);
}

static char *put(struct json_line *line, const struct record *record,
		 const struct identity *identity)
{
	char *to = json_put(line->begin, DAEMON_INFO);
	static pid_t pid;

	if (!pid)
		pid = getpid();
	to = json_put(put_moment(to, identity->realtime), "ktrace[");
	to = json_put(json_put_u64(to, pid), "]: @cee: ");
	return record_line_put(line, to, record, identity);
}

static int open_socket(struct link *link, struct err *err)
{
	return link_connect_datagrams(link, *link->address ? link->address : SOCKET, err);
}

/* One datagram is one message. A full queue of the collector makes the sender wait. */
static int send_all(struct link *link, const struct part *part, struct err *err)
{
	uint32_t begin, len;

	while (link->done < part->nr) {
		begin = part_begin_of(part, link->done);
		len = part->ends[link->done] - begin;
		if (send(link->fd, part->bytes + begin, len, MSG_NOSIGNAL) >= 0)
			link->done++;
		else if (errno == EAGAIN)
			link_wait(link, POLLOUT, -1);
		else if (errno == EMSGSIZE)
			link_refuse(link, "a message of %u bytes is too long for the socket", len);
		else if (errno != EINTR)
			return err_set(err, "the syslog socket has failed: %s", strerror(errno));
	}
	return 0;
}

static const struct transport transport = { .open = open_socket, .send = send_all };

const struct sink_kind sink_syslog = {
	.name = "syslog",
	.address = "SOCKET",
	.promise = "a message is in the queue of its socket; a syslog that is killed loses that queue",
	.max_message = 8096,
	.put = put,
	.transport = &transport,
};
