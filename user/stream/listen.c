// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stream/listen.h"
#include "util/number.h"

#define FIRST_PASSED 3		/* sd_listen_fds(3) */
#define BACKLOG 64

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* --- socket activation --------------------------------------------------------------- */

static uint64_t environment(const char *name)
{
	const char *text = getenv(name);
	uint64_t number = 0;

	if (text)
		number_parse(text, INT32_MAX, &number);
	return number;
}

/* Programs that are started later must not take the socket for theirs. */
static uint64_t nr_passed(void)
{
	uint64_t nr = environment("LISTEN_PID") == (uint64_t)getpid() ? environment("LISTEN_FDS") : 0;

	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	return nr;
}

/* The socket stays this process's, for a page that is started again. */
static int passed = -1;

static int take_passed(uint64_t nr, struct err *err)
{
	int is_listening = 0;
	socklen_t len = sizeof(is_listening);

	if (nr > 1)
		return err_set(err, "systemd has passed on %llu sockets, but metrics are served on one; leave one ListenStream= in the unit of the socket.",
			       (unsigned long long)nr);
	if (getsockopt(FIRST_PASSED, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &len) || !is_listening)
		return err_set(err, "The descriptor that systemd has passed on is no listening socket; use ListenStream= and Accept=no in the unit of the socket.");
	fcntl(FIRST_PASSED, F_SETFD, FD_CLOEXEC);
	fcntl(FIRST_PASSED, F_SETFL, fcntl(FIRST_PASSED, F_GETFL) | O_NONBLOCK);
	passed = FIRST_PASSED;
	return fcntl(passed, F_DUPFD_CLOEXEC, FIRST_PASSED + 1);
}

/* --- an address ------------------------------------------------------------------------ */

static bool parse_host(union address *to, const char *text, size_t len, uint16_t port)
{
	char host[INET6_ADDRSTRLEN + 1] = "127.0.0.1";

	if (len >= sizeof(host))
		return false;
	if (len)
		memcpy(host, text, len + 1), host[len] = '\0';
	to->v4 = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port) };
	if (inet_pton(AF_INET, host, &to->v4.sin_addr) == 1)
		return true;
	if (len < 2 || host[0] != '[' || host[len - 1] != ']')
		return false;
	host[len - 1] = '\0';
	to->v6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = htons(port) };
	return inet_pton(AF_INET6, host + 1, &to->v6.sin6_addr) == 1;
}

static bool parse(union address *to, const char *text)
{
	const char *colon = strrchr(text, ':');
	uint64_t port;

	memset(to, 0, sizeof(*to));
	return number_parse(colon ? colon + 1 : text, 65535, &port) &&
	       parse_host(to, text, colon ? colon - text : 0, port);
}

bool listen_is_address(const char *text)
{
	union address address;

	return parse(&address, text);
}

static int bind_to(const union address *address)
{
	int fd = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const int yes = 1;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (!bind(fd, &address->any, sizeof(*address)) && !listen(fd, BACKLOG))
		return fd;
	close(fd);
	return -1;
}

int listen_open(const char *address, struct err *err)
{
	uint64_t nr = nr_passed();
	union address to;
	int fd;

	if (nr)
		return take_passed(nr, err);
	if (passed >= 0)
		return fcntl(passed, F_DUPFD_CLOEXEC, FIRST_PASSED + 1);
	if (!address)
		return err_set(err, "No address to serve metrics on: give ADDRESS:PORT, or start ktrace by a socket unit of systemd.");
	if (!parse(&to, address))
		return err_set(err, "'%s' is no address to serve metrics on; give PORT, which is that of 127.0.0.1, or ADDRESS:PORT with a number, such as 0.0.0.0:9435 or [::1]:9435.",
			       address);
	fd = bind_to(&to);
	if (fd < 0)
		return err_set(err, "Metrics cannot be served on %s: %s; choose another address or port.",
			       address, strerror(errno));
	return fd;
}

bool listen_is_passed(void)
{
	return passed >= 0 ||
	       (environment("LISTEN_PID") == (uint64_t)getpid() && environment("LISTEN_FDS"));
}
