/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LINK_H
#define LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "stream/part.h"
#include "util/err.h"

/* For sinks that write files: when a file is renamed, and how many renamed ones are kept. */
#define LINK_KEEP 5
struct link_limits {
	uint64_t size;		/* bytes; 0: no limit */
	uint32_t keep;		/* files; 0: LINK_KEEP */
};

/*
 * The connection of a sender to its collector. A sender is a process without privileges that does
 * nothing else (sender.h), so a transport may wait as long as the collector does. It ends when the
 * reader does.
 */
struct link {
	const char *address;	/* behind the sink's name: "HOST:PORT", a path; "" if there is none */
	int fd;			/* of the transport; -1 if it is not connected */
	int reader;		/* a socket, readable once the reader has ended */
	uint32_t done;		/* messages of the part that were delivered or refused */
	uint32_t refused;	/* how many of them were refused, */
	char refusal[200];	/* and why the last of them was */
	int wait_ms;		/* after a failure: the collector asks for this wait; 0: it does not */
	bool is_over;		/* it will never take more: the reader of a pipe has closed it */
	struct link_limits limits;
	void *own;		/* data of the transport */
};

struct transport {
	/*
	 * Connects. Returns 0, or -1 with err set, and link->fd -1: it is called again after a wait.
	 * Errors are parts of sentences: "nothing answers at ...".
	 */
	int (*open)(struct link *link, struct err *err);
	/*
	 * Delivers the messages of the part from link->done on, and counts them there once the
	 * collector has them, as far as the protocol can tell. Returns 0 if all are done, or -1 with
	 * err set: the link is closed, opened again after a wait, and the rest is sent then.
	 */
	int (*send)(struct link *link, const struct part *part, struct err *err);
	/* Called after a failure, too. Closes link->fd. May be NULL: link->fd is closed. */
	void (*close)(struct link *link);
};

/* Counts a message as refused by the collector, which is never sent again. */
void link_refuse(struct link *link, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Checks an address for link_connect(). Returns 0, or -1 with err set to a sentence. */
int link_check(const char *address, struct err *err);

/*
 * Connects link->fd, non-blocking, to "HOST:PORT", "[ADDRESS]:PORT", "HOST" with the default port,
 * or to a path that begins with "/", by a stream. Returns 0, or -1 with err set.
 */
int link_connect(struct link *link, const char *default_port, struct err *err);
/* The same for datagrams to a path. */
int link_connect_datagrams(struct link *link, const char *path, struct err *err);

/* Waits for events (poll.h) of link->fd. Returns false after ms; -1: no limit. */
bool link_wait(struct link *link, short events, int ms);

/* Writes all of it, however long that takes. Returns 0, or -1 with err set. iov is changed. */
int link_write(struct link *link, struct iovec *iov, int nr, struct err *err);
/*
 * Reads what has arrived, after a wait of at most ms. Returns how many bytes, or -1 with err set if
 * nothing came or the connection has ended.
 */
ssize_t link_read(struct link *link, void *to, size_t room, int ms, struct err *err);
/* Returns true if the collector has closed the connection. */
bool link_is_closed(const struct link *link);

#endif
