// SPDX-License-Identifier: GPL-2.0
/* journald's native protocol: an entry is a datagram, or a file if it is too long for one. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stream/record_journal.h"
#include "stream/sink.h"

#define DEFAULT_PATH "/run/systemd/journal/socket"

/* The headers of el7 lack them. Its kernel lacks them, too, and says so. */
#ifndef SYS_memfd_create
#define SYS_memfd_create 319
#endif
#ifndef MFD_CLOEXEC
#define MFD_CLOEXEC 1U
#define MFD_ALLOW_SEALING 2U
#endif
#ifndef F_ADD_SEALS
#define F_ADD_SEALS 1033
#define F_SEAL_SEAL 1
#define F_SEAL_SHRINK 2
#define F_SEAL_GROW 4
#define F_SEAL_WRITE 8
#endif

/* Sends a datagram once journald has room for it. Returns 0, or -1 with errno set. */
static int send_datagram(struct link *link, const struct msghdr *message)
{
	while (sendmsg(link->fd, message, MSG_NOSIGNAL) < 0) {
		if (errno == EAGAIN)
			link_wait(link, POLLOUT, -1);
		else if (errno != EINTR)
			return -1;
	}
	return 0;
}

/* --- long entries --------------------------------------------------------- */

/* Returns a sealed file with the entry, or -1 with errno set. */
static int sealed_file(const char *entry, size_t len)
{
	int fd = syscall(SYS_memfd_create, "ktrace", MFD_CLOEXEC | MFD_ALLOW_SEALING), error;

	if (fd < 0)
		return -1;
	if (write(fd, entry, len) == (ssize_t)len &&
	    !fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE))
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

static int send_file(struct link *link, int fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .head = { .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET,
				.cmsg_type = SCM_RIGHTS } };
	const struct msghdr message = { .msg_control = &control,
					.msg_controllen = sizeof(control) };

	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	return send_datagram(link, &message);
}

/* Returns 0 if the entry was delivered or refused, or -1 with errno set. */
static int send_long(struct link *link, const char *entry, size_t len)
{
	int fd = sealed_file(entry, len), result, error;

	if (fd < 0 && errno == ENOSYS) {
		link_refuse(link, "%zu bytes are too long for a datagram, and this kernel has no "
			    "memfd_create", len);
		return 0;
	}
	if (fd < 0)
		return -1;
	result = send_file(link, fd);
	error = errno;
	close(fd);
	errno = error;
	if (!result)
		link->done++;
	return result;
}

/* --- the transport -------------------------------------------------------- */

/* Returns 0 if the entry was delivered or refused, or -1 with errno set. */
static int send_entry(struct link *link, const char *entry, size_t len)
{
	struct iovec iov = { .iov_base = (char *)entry, .iov_len = len };
	const struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (!send_datagram(link, &message)) {
		link->done++;
		return 0;
	}
	return errno == EMSGSIZE ? send_long(link, entry, len) : -1;
}

static int journald_open(struct link *link, struct err *err)
{
	return link_connect_datagrams(link, *link->address ? link->address : DEFAULT_PATH, err);
}

static int journald_send(struct link *link, const struct part *part, struct err *err)
{
	uint32_t begin;

	while (link->done < part->nr) {
		begin = part_begin_of(part, link->done);
		if (send_entry(link, part->bytes + begin, part->ends[link->done] - begin))
			return err_set(err, "journald takes no message: %s", strerror(errno));
	}
	return 0;
}

static const struct transport transport = { .open = journald_open, .send = journald_send };

const struct sink_kind sink_journald = {
	.name = "journald",
	.promise = "journald's socket has taken each message; its crash loses what it has not read",
	.max_message = PART_LEN,
	.rights = SECCOMP_LOCAL,
	.put = record_put_journal,
	.transport = &transport,
};
