// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stream/away.h"
#include "stream/rights.h"
#include "stream/sender.h"
#include "util/clock.h"

#define FIRST_WAIT_MS 200
#define LONGEST_WAIT_MS 60000

/* The headers of el7 lack them. */
#ifndef SYS_memfd_create
#define SYS_memfd_create 319
#endif
#define SEALABLE 3U		/* MFD_CLOEXEC, MFD_ALLOW_SEALING */
#define NEVER_EXECUTED 8U	/* MFD_NOEXEC_SEAL, since Linux 6.3 */
#ifndef F_ADD_SEALS
#define F_ADD_SEALS 1033
#define F_SEAL_SEAL 1
#define F_SEAL_SHRINK 2
#define F_SEAL_GROW 4
#endif

/* --- deliveries -------------------------------------------------------------- */

struct work {
	const struct sink_kind *kind;
	const struct part *part;
	struct link link;
	uint32_t serial;
	int wait_ms;		/* after the next failure; 0: none */
	bool is_down;		/* the reader was told */
};

static void tell(const struct work *work, enum answer_kind kind, const char *text)
{
	struct answer answer = {
		.kind = kind, .serial = work->serial, .refused = work->link.refused,
	};

	snprintf(answer.text, sizeof(answer.text), "%s", text);
	if (send(work->link.reader, &answer, sizeof(answer), MSG_NOSIGNAL) < 0)
		_exit(EXIT_SUCCESS);
}

static void disconnect(struct work *work)
{
	if (work->kind->transport->close)
		work->kind->transport->close(&work->link);
	if (work->link.fd >= 0)
		close(work->link.fd);
	work->link.fd = -1;
}

/* Many senders whose collector has gone must not come back at the same moment. */
static int with_jitter(const struct work *work, int ms)
{
	uint32_t random = (uint32_t)clock_now_ns() * 2654435761U + work->link.reader;

	return ms * 4 / 5 + (int)(random >> 16) % (ms * 2 / 5 + 1);
}

/*
 * The first failure after a success is tried again at once, unless the collector asks for a wait:
 * most collectors were only restarted.
 */
static void wait_after_failure(struct work *work, const struct err *err)
{
	int ms = work->wait_ms ? with_jitter(work, work->wait_ms) : 0;

	if (ms < work->link.wait_ms)
		ms = work->link.wait_ms;
	work->link.wait_ms = 0;
	if (work->link.is_over) {
		tell(work, ANSWER_OVER, err->text);
		_exit(EXIT_SUCCESS);
	}
	if (ms && !work->is_down) {
		tell(work, ANSWER_DOWN, err->text);
		work->is_down = true;
	}
	if (ms)
		link_wait(&work->link, 0, ms);
	work->wait_ms = work->wait_ms ? work->wait_ms * 2 : FIRST_WAIT_MS;
	if (work->wait_ms > LONGEST_WAIT_MS)
		work->wait_ms = LONGEST_WAIT_MS;
}

static int try(struct work *work, struct err *err)
{
	const struct transport *transport = work->kind->transport;

	if (work->link.fd < 0 && transport->open(&work->link, err))
		return -1;
	if (!transport->send(&work->link, work->part, err))
		return 0;
	disconnect(work);
	return -1;
}

static void deliver(struct work *work)
{
	struct err err;

	work->link.done = work->link.refused = 0;
	work->link.refusal[0] = 0;
	while (try(work, &err))
		wait_after_failure(work, &err);
	work->wait_ms = 0;
	if (work->is_down)
		tell(work, ANSWER_UP, "");
	work->is_down = false;
	tell(work, ANSWER_DONE, work->link.refusal);
}

/* --- the process ------------------------------------------------------------- */

static void run(const struct sender *sender, int reader)
{
	struct work work = {
		.kind = sender->kind, .part = sender->part,
		.link = {
			.address = sender->address, .limits = sender->limits, .fd = -1,
			.reader = reader,
		},
	};

	rights_ignore_ends();
	if (rights_close_files(reader, reader))
		_exit(EXIT_FAILURE);
	prctl(PR_SET_NAME, "ktrace-sender", 0, 0, 0);
	if (rights_drop(sender->kind->rights))
		_exit(EXIT_FAILURE);
	while (recv(reader, &work.serial, sizeof(work.serial), 0) == sizeof(work.serial))
		deliver(&work);
	disconnect(&work);
	_exit(EXIT_SUCCESS);
}

int sender_run_away(const char *sink, int reader, int memory, struct err *err)
{
	struct sender sender = { .fd = -1 };
	void *part;

	sender.kind = sink_find(sink, &sender.address, err);
	if (!sender.kind)
		return -1;
	if (sender.kind->rights == SECCOMP_FILE)
		return err_set(err, "Files are not written by a sender of this unit.");
	part = mmap(NULL, sizeof(struct part), PROT_READ, MAP_SHARED, memory, 0);
	if (part == MAP_FAILED)
		return err_set(err, "The messages to %s cannot be read: %s.", sender.kind->name,
			       strerror(errno));
	sender.part = part;
	run(&sender, reader);
	return 0;
}

/* --- the reader's side --------------------------------------------------------- */

/* A process of another unit has other folders, so senders that write files are forked. */
static bool is_away(const struct sender *sender)
{
	return away_is_used() && sender->kind->rights != SECCOMP_FILE;
}

static int start_away(struct sender *sender, int fd, struct err *err)
{
	struct away_work work = { .kind = AWAY_SENDER };
	const int files[] = { fd, sender->memory };
	size_t len = snprintf(work.text, sizeof(work.text), *sender->address ? "%s:%s" : "%s",
			      sender->kind->name, sender->address);

	if (len >= sizeof(work.text))
		return err_set(err, "The address of %s is too long: %zu characters.",
			       sender->kind->name, len);
	sender->connection = away_start(&work, files, 2, err);
	return sender->connection < 0 ? -1 : 0;
}

static int start_here(struct sender *sender, const int fds[2], struct err *err)
{
	sender->pid = fork();
	if (!sender->pid) {
		close(fds[0]);
		run(sender, fds[1]);
	}
	if (sender->pid > 0)
		return 0;
	sender->pid = 0;
	return err_set(err, "The sender for %s cannot be started: %s; the limit of processes may be reached.",
		       sender->kind->name, strerror(errno));
}

int sender_restart(struct sender *sender, struct err *err)
{
	int fds[2], error;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return err_set(err, "The sender for %s cannot be started: %s; more files may be open than the limit allows (ulimit -n).",
			       sender->kind->name, strerror(errno));
	error = is_away(sender) ? start_away(sender, fds[1], err) : start_here(sender, fds, err);
	close(fds[1]);
	sender->fd = fds[0];
	if (!error)
		return 0;
	close(fds[0]);
	sender->fd = -1;
	return -1;
}

/* Returns a file whose length stays: a sender must not be able to end the reader by a shorter one. */
static int memory_file(void)
{
	int fd = syscall(SYS_memfd_create, "ktrace-part", SEALABLE | NEVER_EXECUTED);

	if (fd < 0 && errno == EINVAL)
		fd = syscall(SYS_memfd_create, "ktrace-part", SEALABLE);
	if (fd < 0)
		return -1;
	if (!ftruncate(fd, sizeof(struct part)) &&
	    !fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW))
		return fd;
	close(fd);
	return -1;
}

static void free_part(struct sender *sender)
{
	if (sender->part)
		munmap(sender->part, sizeof(struct part));
	sender->part = NULL;
	if (sender->memory >= 0)
		close(sender->memory);
	sender->memory = -1;
}

int sender_start(struct sender *sender, struct err *err)
{
	void *part;

	sender->fd = sender->connection = sender->memory = -1;
	if (is_away(sender)) {
		sender->memory = memory_file();
		if (sender->memory < 0)
			return err_set(err, "There is no memory to share with a sender for %s: %s.",
				       sender->kind->name, strerror(errno));
	}
	part = mmap(NULL, sizeof(struct part), PROT_READ | PROT_WRITE,
		    MAP_SHARED | (sender->memory < 0 ? MAP_ANONYMOUS : 0), sender->memory, 0);
	if (part == MAP_FAILED)
		err_set(err, "There is no memory for the messages to %s.", sender->kind->name);
	else
		sender->part = part;
	if (sender->part && !sender_restart(sender, err))
		return 0;
	free_part(sender);
	return -1;
}

static void reap(struct sender *sender)
{
	if (sender->fd >= 0)
		close(sender->fd);
	sender->fd = -1;
	/* One that is away is killed by this. */
	if (sender->connection >= 0)
		close(sender->connection);
	sender->connection = -1;
	if (sender->pid > 0) {
		kill(sender->pid, SIGKILL);
		waitpid(sender->pid, NULL, 0);
	}
	sender->pid = 0;
}

void sender_dismiss(struct sender *sender, uint64_t until)
{
	sender->until = until;
	if (sender->fd >= 0)
		shutdown(sender->fd, SHUT_WR);
}

void sender_stop(struct sender *sender)
{
	struct pollfd polled = { .fd = sender->fd };
	uint64_t now = clock_now_ns();

	/* A sender that is between two parts ends by itself, after a farewell. */
	if (sender->fd >= 0 && now < sender->until)
		poll(&polled, 1, (sender->until - now) / 1000000 + 1);
	reap(sender);
}

void sender_end(struct sender *sender)
{
	sender_stop(sender);
	free_part(sender);
}

void sender_pass(struct sender *sender)
{
	sender->serial++;
	/*
	 * A sender that has ended is noticed when its answer is taken. One that answers without having
	 * read is ended: its queue would fill up, and hold the reader.
	 */
	if (send(sender->fd, &sender->serial, sizeof(sender->serial), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		shutdown(sender->fd, SHUT_RDWR);
}

bool sender_take_answer(struct sender *sender, struct answer *answer)
{
	ssize_t len = sender->fd < 0 ? 0 : recv(sender->fd, answer, sizeof(*answer), MSG_DONTWAIT);

	if (len < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (len == sizeof(*answer)) {
		answer->text[sizeof(answer->text) - 1] = 0;
		return true;
	}
	*answer = (struct answer){ .kind = ANSWER_ENDED };
	if (sender->fd >= 0)
		reap(sender);
	return true;
}
