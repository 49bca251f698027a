// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "stream/away.h"
#include "stream/part.h"
#include "version.h"

#define LONGEST_SECONDS 5	/* for a queue that is full, and for a message that does not come */

union control {
	struct cmsghdr head;
	char room[CMSG_SPACE(AWAY_FILES * sizeof(int))];
};

/* --- variables ----------------------------------------------------------------- */

/*
 * The environment of the reader's unit holds for its senders, too. The headers may contain a
 * password, which is for OTLP only.
 */
static const char *const names[] = {
	"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_CERTIFICATE", "http_proxy", "https_proxy",
	"HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
};

#define NR_NAMES (sizeof(names) / sizeof(*names))

static bool needs(const struct away_work *work, const char *name)
{
	return strncmp(name, "OTEL_", 5) || work->kind == AWAY_PUSH || !strncmp(work->text, "otlp", 4);
}

static int put_variables(struct away_work *work, struct err *err)
{
	size_t at = 0, i;
	const char *value;

	for (i = 0; i < NR_NAMES; i++) {
		value = getenv(names[i]);
		if (!value || !needs(work, names[i]))
			continue;
		at += snprintf(work->variables + at, sizeof(work->variables) - at, "%s=%s",
			       names[i], value) + 1;
		if (at >= sizeof(work->variables))
			return err_set(err, "%s is too long for a sender: %zu bytes are the limit.",
				       names[i], sizeof(work->variables) - 1);
	}
	return 0;
}

static void take_variables(const struct away_work *work)
{
	const char *text, *value;
	size_t i;

	for (text = work->variables; *text; text += strlen(text) + 1) {
		value = strchr(text, '=');
		for (i = 0; value && i < NR_NAMES; i++)
			if (!strncmp(text, names[i], value - text) && !names[i][value - text])
				setenv(names[i], value + 1, 1);
	}
}

/* --- the reader's side --------------------------------------------------------- */

/* Returns "" if there is none. */
static const char *socket_path(void)
{
	const char *path = getenv("KTRACE_SEND");

	return path ? path : "";
}

bool away_is_used(void)
{
	return *socket_path();
}

static int connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct timeval limit = { .tv_sec = LONGEST_SECONDS };
	int fd, error;

	if (strlen(path) >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	strcpy(address.sun_path, path);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

/* Returns 0, or -1 with errno set. */
static int send_work(int fd, const struct away_work *work, const int *files, size_t nr)
{
	struct iovec iov = { .iov_base = (void *)work, .iov_len = sizeof(*work) };
	union control control = { .head = { .cmsg_len = CMSG_LEN(nr * sizeof(int)),
					    .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
	const struct msghdr message = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
		.msg_controllen = CMSG_SPACE(nr * sizeof(int)),
	};

	memcpy(CMSG_DATA(&control.head), files, nr * sizeof(int));
	return sendmsg(fd, &message, MSG_NOSIGNAL) < 0 ? -1 : 0;
}

int away_start(const struct away_work *work, const int *files, size_t nr, struct err *err)
{
	struct away_work whole = *work;
	int fd;

	strcpy(whole.version, KTRACE_VERSION);
	if (put_variables(&whole, err))
		return -1;
	fd = connect_to(socket_path());
	if (fd >= 0 && !send_work(fd, &whole, files, nr))
		return fd;
	err_set(err, "No process for %.200s can be started by %.200s: %s; the unit ktrace-send.socket must be active: systemctl start ktrace-send.socket.",
		work->text, socket_path(),
		errno == EAGAIN ? "the connection is not accepted in time" : strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

/* --- the process ------------------------------------------------------------------ */

static int option(int fd, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, name, &value, &len) ? -1 : value;
}

static bool is_socket(int fd, int type)
{
	return option(fd, SO_DOMAIN) == AF_UNIX && option(fd, SO_TYPE) == type;
}

/* What the file is becomes shared memory; a part that ends too early would kill the process. */
static bool is_part(int fd)
{
	struct stat file;

	return !fstat(fd, &file) && S_ISREG(file.st_mode) && file.st_size == sizeof(struct part);
}

static bool is_right(const struct away_work *work, const int files[AWAY_FILES])
{
	switch (work->kind) {
	case AWAY_SENDER:
		return is_socket(files[0], SOCK_SEQPACKET) && is_part(files[1]);
	case AWAY_PAGE:
		return is_socket(files[0], SOCK_STREAM) &&
		       (files[1] < 0 || option(files[1], SO_ACCEPTCONN) == 1);
	case AWAY_PUSH:
		return is_socket(files[0], SOCK_STREAM) && files[1] < 0;
	default:
		return false;
	}
}

/* Two zeros end the variables. */
static bool ends_right(const struct away_work *work)
{
	const char *end = work->variables + sizeof(work->variables);

	return !end[-1] && !end[-2];
}

/* Too many files set MSG_CTRUNC. */
static void take_files(struct msghdr *message, int files[AWAY_FILES])
{
	const struct cmsghdr *head = CMSG_FIRSTHDR(message);

	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
	    head->cmsg_len <= CMSG_LEN(AWAY_FILES * sizeof(int)))
		memcpy(files, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
}

static int receive(struct away_work *work, int files[AWAY_FILES], struct err *err)
{
	struct iovec iov = { .iov_base = work, .iov_len = sizeof(*work) };
	union control control;
	struct msghdr message = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t len = recvmsg(STDIN_FILENO, &message, MSG_CMSG_CLOEXEC);

	if (len <= 0)
		return err_set(err, "No work came from the reader: %s.",
			       !len ? "it has ended" :
			       errno == EAGAIN ? "it sends nothing" : strerror(errno));
	take_files(&message, files);
	if (len >= (ssize_t)sizeof(work->version) &&
	    strncmp(work->version, KTRACE_VERSION, sizeof(work->version)))
		return err_set(err, "The reader has another version than this process, %s: systemctl restart ktrace.",
			       KTRACE_VERSION);
	if (len != sizeof(*work) || message.msg_flags & (MSG_TRUNC | MSG_CTRUNC) ||
	    !memchr(work->text, 0, sizeof(work->text)) || !ends_right(work) || !is_right(work, files))
		return err_set(err, "The work that came is not understood: %zd bytes of kind %u; only ktrace serve sends any.",
			       len, len == sizeof(*work) ? work->kind : 0);
	return 0;
}

/*
 * Nothing else is sent by the connection, so only its end raises the signal. It also ends a process
 * that waits in a library, or is stopped.
 */
static int live_with(int connection)
{
	struct pollfd polled = { .fd = connection, .events = POLLIN };

	if (fcntl(connection, F_SETSIG, SIGKILL) || fcntl(connection, F_SETOWN, getpid()) ||
	    fcntl(connection, F_SETFL, fcntl(connection, F_GETFL) | O_ASYNC))
		return -1;
	return poll(&polled, 1, 0);	/* the reader may have ended before */
}

int away_take(struct away_work *work, int files[AWAY_FILES], struct err *err)
{
	struct timeval limit = { .tv_sec = LONGEST_SECONDS };
	size_t i;

	memset(work, 0, sizeof(*work));
	for (i = 0; i < AWAY_FILES; i++)
		files[i] = -1;
	if (!is_socket(STDIN_FILENO, SOCK_SEQPACKET))
		return err_set(err, "Standard input is no connection of ktrace-send.socket: only systemd starts senders like this.");
	setsockopt(STDIN_FILENO, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (receive(work, files, err))
		return -1;
	if (live_with(STDIN_FILENO))
		return err_set(err, "The reader has ended.");
	take_variables(work);
	return 0;
}
