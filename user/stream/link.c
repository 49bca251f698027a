// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "stream/link.h"
#include "util/clock.h"
#include "util/number.h"

#define CONNECT_MS 10000
#define MS 1000000	/* ns */

void link_refuse(struct link *link, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(link->refusal, sizeof(link->refusal), format, args);
	va_end(args);
	link->refused++;
	link->done++;
}

/* --- waits ---------------------------------------------------------------- */

/* The reader takes no more answers: what it was not told is in the ring. */
static void end_with_reader(void)
{
	_exit(EXIT_SUCCESS);
}

/* Returns the ms that are left until a time; -1: no limit. */
static int left_until(uint64_t until)
{
	uint64_t now = clock_now_ns();

	return until == UINT64_MAX ? -1 : now >= until ? 0 : (int)((until - now) / MS + 1);
}

bool link_wait(struct link *link, short events, int ms)
{
	struct pollfd polled[] = {
		{ .fd = link->reader }, { .fd = link->fd, .events = events },
	};
	uint64_t until = ms < 0 ? UINT64_MAX : clock_now_ns() + (uint64_t)ms * MS;
	int nr;

	do {
		nr = poll(polled, 2, left_until(until));
	} while (nr < 0 && errno == EINTR);
	if (polled[0].revents)
		end_with_reader();
	return nr > 0;
}

/* --- connections ----------------------------------------------------------- */

static int connect_to(struct link *link, int type, const struct sockaddr *address, socklen_t len)
{
	socklen_t error_len = sizeof(int);
	int error;

	link->fd = socket(address->sa_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (link->fd < 0)
		return -1;
	if (!connect(link->fd, address, len))
		return 0;
	if (errno == EINPROGRESS) {
		if (!link_wait(link, POLLOUT, CONNECT_MS))
			errno = ETIMEDOUT;
		else if (!getsockopt(link->fd, SOL_SOCKET, SO_ERROR, &error, &error_len) && !error)
			return 0;
		else
			errno = error;
	}
	error = errno;
	close(link->fd);
	link->fd = -1;
	errno = error;
	return -1;
}

static int connect_path(struct link *link, int type, const char *path, struct err *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof(address.sun_path))
		return err_set(err, "the path %s is longer than a socket's may be (%zu characters)",
			       path, sizeof(address.sun_path) - 1);
	strcpy(address.sun_path, path);
	if (connect_to(link, type, (struct sockaddr *)&address, sizeof(address)))
		return err_set(err, "nothing answers at %s: %s", path, strerror(errno));
	return 0;
}

int link_connect_datagrams(struct link *link, const char *path, struct err *err)
{
	return connect_path(link, SOCK_DGRAM, path, err);
}

static bool is_port(const char *text)
{
	uint64_t port;

	return number_parse(text, 65535, &port) && port;
}

/*
 * Splits "HOST:PORT", "[ADDRESS]:PORT" or "HOST" into host and port. Returns false if it is none of
 * these.
 */
static bool split(char *text, const char **host, const char **port)
{
	struct in6_addr address;
	char *end = strrchr(text, ':');

	*host = text;
	if (inet_pton(AF_INET6, text, &address) == 1 || (!end && *text && *text != '['))
		return true;
	if (*text == '[') {
		end = strchr(text, ']');
		if (!end)
			return false;
		*end++ = 0;
		*host = text + 1;
		if (inet_pton(AF_INET6, *host, &address) != 1 || !*end)
			return !*end && inet_pton(AF_INET6, *host, &address) == 1;
	}
	if (!end || *end != ':' || (*text != '[' && strchr(text, ':') != end))
		return false;
	*end = 0;
	*port = end + 1;
	return **host && is_port(*port);
}

int link_check(const char *address, struct err *err)
{
	const char *host, *port = "1";
	char text[512];

	snprintf(text, sizeof(text), "%s", address);
	if (*address == '/' || (strlen(address) < sizeof(text) && split(text, &host, &port)))
		return 0;
	return err_set(err, "'%.200s' is no address; give HOST:PORT, [IPV6]:PORT, or the path of a socket. A port is a number from 1 to 65535.",
		       address);
}

static int connect_host(struct link *link, const char *host, const char *port, struct err *err)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *all, *one;
	int error = getaddrinfo(host, port, &hints, &all);

	if (error)
		return err_set(err, "the address of %s, port %s, is not known: %s", host, port,
			       error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error));
	error = -1;
	for (one = all; one && error; one = one->ai_next)
		error = connect_to(link, SOCK_STREAM, one->ai_addr, one->ai_addrlen);
	/* The last bytes of a part must not wait for an answer to those before. */
	if (!error)
		setsockopt(link->fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	if (error)
		err_set(err, "nothing answers at %s, port %s: %s", host, port, strerror(errno));
	freeaddrinfo(all);
	return error;
}

int link_connect(struct link *link, const char *default_port, struct err *err)
{
	const char *host, *port = default_port;
	char text[512];

	if (*link->address == '/')
		return connect_path(link, SOCK_STREAM, link->address, err);
	snprintf(text, sizeof(text), "%s", link->address);
	if (!split(text, &host, &port))
		return err_set(err, "'%s' is no address", link->address);
	return connect_host(link, host, port, err);
}

/* --- data ------------------------------------------------------------------ */

/* Moves the begin of iov behind what was written. */
static void skip(struct iovec **iov, int *nr, size_t len)
{
	while (*nr && len >= (*iov)->iov_len) {
		len -= (*iov)->iov_len;
		++*iov;
		--*nr;
	}
	if (*nr) {
		(*iov)->iov_base = (char *)(*iov)->iov_base + len;
		(*iov)->iov_len -= len;
	}
}

int link_write(struct link *link, struct iovec *iov, int nr, struct err *err)
{
	struct msghdr message;
	ssize_t len;

	while (nr) {
		message = (struct msghdr){ .msg_iov = iov, .msg_iovlen = nr };
		len = sendmsg(link->fd, &message, MSG_NOSIGNAL);
		if (len >= 0)
			skip(&iov, &nr, len);
		else if (errno == EAGAIN)
			link_wait(link, POLLOUT, -1);
		else if (errno != EINTR)
			return err_set(err, "the connection has ended: %s", strerror(errno));
	}
	return 0;
}

ssize_t link_read(struct link *link, void *to, size_t room, int ms, struct err *err)
{
	ssize_t len;

	do {
		if (!link_wait(link, POLLIN, ms))
			return err_set(err, "no answer came in %d s", ms / 1000);
		len = recv(link->fd, to, room, 0);
	} while (len < 0 && (errno == EAGAIN || errno == EINTR));
	if (len < 0)
		return err_set(err, "the connection has ended: %s", strerror(errno));
	return len ? len : err_set(err, "the collector has closed the connection");
}

bool link_is_closed(const struct link *link)
{
	char byte;
	ssize_t len = recv(link->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

	return !len || (len < 0 && errno != EAGAIN && errno != EINTR);
}
