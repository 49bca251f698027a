// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "serve/asker.h"
#include "stream/rights.h"
#include "util/clock.h"
#include "util/mem.h"

#define FORM_LEN 1024
#define TYPE_LEN 160
#define ANSWER_SECONDS 5
#define BEGIN_SECONDS 15	/* systemd may be busy; the watchdog waits longer for two of them */

/* In front of metrics, or of the sentence that says why there is none. */
struct head {
	char type[TYPE_LEN];	/* "": it is the sentence */
	uint64_t len;
};

/* --- both sides -------------------------------------------------------------- */

/* Returns false if it is not ready then. */
static bool wait_for(int fd, short events, uint64_t until)
{
	struct pollfd polled = { .fd = fd, .events = events };
	uint64_t now, ms;
	int nr;

	do {
		now = clock_now_ns();
		if (now >= until)
			return false;
		ms = (until - now) / 1000000 + 1;
		nr = poll(&polled, 1, ms < INT_MAX ? (int)ms : -1);
	} while (!nr || (nr < 0 && errno == EINTR));
	return nr > 0;
}

/*
 * SO_SNDTIMEO and SO_RCVTIMEO begin anew with each piece, so another process that takes or sends
 * few bytes at a time could hold this one for minutes.
 */
static bool send_all(int fd, const void *data, size_t len, uint64_t until)
{
	const char *at = data, *end = at + len;
	ssize_t sent;

	while (at < end && wait_for(fd, POLLOUT, until)) {
		sent = send(fd, at, end - at, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent < 0 && errno != EAGAIN)
			return false;
		at += sent > 0 ? sent : 0;
	}
	return at == end;
}

static bool receive_all(int fd, void *data, size_t len, uint64_t until)
{
	char *at = data, *end = at + len;
	ssize_t got;

	while (at < end && wait_for(fd, POLLIN, until)) {
		got = recv(fd, at, end - at, MSG_DONTWAIT);
		if (!got || (got < 0 && errno != EAGAIN))
			return false;
		at += got > 0 ? got : 0;
	}
	return at == end;
}

/* --- the process --------------------------------------------------------------- */

const char *asker_ask(int reader, const char *form, FILE *out, struct err *err)
{
	static struct head head;
	char wish[FORM_LEN] = "", *text;

	snprintf(wish, sizeof(wish), "%s", form);
	if (!send_all(reader, wish, sizeof(wish), UINT64_MAX) ||
	    !receive_all(reader, &head, sizeof(head), UINT64_MAX))
		_exit(EXIT_SUCCESS);
	text = mem_alloc(head.len + 1);
	if (!receive_all(reader, text, head.len, UINT64_MAX))
		_exit(EXIT_SUCCESS);
	if (*head.type)
		fwrite(text, 1, head.len, out);
	else
		err_set(err, "%s", text);
	free(text);
	return *head.type ? head.type : NULL;
}

/* Tells the reader whether it can work: an empty text, or the reason. */
void asker_run(const struct asker_work *work, int reader)
{
	struct err err = { "" };
	int error;

	error = rights_close_files(reader, work->file < 0 ? reader : work->file) ?
		err_set(&err, "The process %s cannot close the files of this one.", work->name) :
		work->begin ? work->begin(work, reader, &err) : 0;
	prctl(PR_SET_NAME, work->name, 0, 0, 0);
	rights_ignore_ends();
	if (!error && rights_drop(work->rights))
		error = err_set(&err, "The process %s cannot drop its privileges.", work->name);
	if (!send_all(reader, &err, sizeof(err), UINT64_MAX) || error)
		_exit(EXIT_FAILURE);
	work->run(work, reader);
	_exit(EXIT_SUCCESS);
}

/* --- the reader's side ------------------------------------------------------------ */

static void start_here(struct asker *asker, const struct asker_work *work, const int fds[2])
{
	asker->pid = fork();
	if (!asker->pid) {
		close(fds[0]);
		asker_run(work, fds[1]);
	}
	if (asker->pid < 0)
		asker->pid = 0;
}

static int start_away(struct asker *asker, const struct asker_work *work, int fd, struct err *err)
{
	struct away_work away = { .kind = work->kind, .interval = work->interval };
	const int files[] = { fd, work->file };
	size_t len = snprintf(away.text, sizeof(away.text), "%s", work->text ? work->text : "");

	if (len >= sizeof(away.text))
		return err_set(err, "The address for metrics is too long: %zu characters.", len);
	asker->connection = away_start(&away, files, work->file < 0 ? 1 : 2, err);
	return asker->connection < 0 ? -1 : 0;
}

/* Takes what the process says about its begin. Its end, without a word, is an error, too. */
static int take_begin(struct asker *asker, const struct asker_work *work, struct err *err)
{
	uint64_t until = clock_now_ns() + BEGIN_SECONDS * CLOCK_SECOND;

	if (!receive_all(asker->fd, err, sizeof(*err), until))
		err_set(err, "The process %s has not begun%s.", work->name, asker->connection < 0 ? "" :
			"; the journal may say why: journalctl -t ktrace");
	err->text[sizeof(err->text) - 1] = 0;
	return err->text[0] ? -1 : 0;
}

int asker_start(struct asker *asker, const struct asker_work *work, struct err *err)
{
	int fds[2], error = 0;

	*asker = ASKER_NONE;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return err_set(err, "The process %s cannot be started: %s.", work->name,
			       strerror(errno));
	if (away_is_used())
		error = start_away(asker, work, fds[1], err);
	else
		start_here(asker, work, fds);
	close(fds[1]);
	asker->fd = fds[0];
	if (!error && !take_begin(asker, work, err))
		return 0;
	asker_end(asker);
	return -1;
}

/* Closing the connection kills the process. Its address must be free for the next one. */
static void end_away(struct asker *asker)
{
	uint64_t until = clock_now_ns() + CLOCK_SECOND;
	char byte;

	close(asker->connection);
	asker->connection = -1;
	while (receive_all(asker->fd, &byte, 1, until))
		;
}

void asker_end(struct asker *asker)
{
	if (asker->connection >= 0)
		end_away(asker);
	if (asker->fd >= 0)
		close(asker->fd);
	asker->fd = -1;
	if (asker->pid > 0) {
		kill(asker->pid, SIGKILL);
		waitpid(asker->pid, NULL, 0);
	}
	asker->pid = 0;
}

static bool answer(struct asker *asker, const char *form, asker_write_fn write, void *arg,
		   uint64_t until)
{
	struct head head = { .len = 0 };
	struct err err = { "" };
	char *text = NULL;
	const char *type;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	bool is_sent;

	if (!out)
		return false;
	type = write(arg, form, out, &err);
	fclose(out);
	if (type)
		snprintf(head.type, sizeof(head.type), "%s", type);
	head.len = type ? len : strlen(err.text);
	is_sent = send_all(asker->fd, &head, sizeof(head), until) &&
		  send_all(asker->fd, type ? text : err.text, head.len, until);
	free(text);
	return is_sent;
}

bool asker_answer(struct asker *asker, asker_write_fn write, void *arg)
{
	struct pollfd polled = { .fd = asker->fd, .events = POLLIN };
	uint64_t until = clock_now_ns() + ANSWER_SECONDS * CLOCK_SECOND;
	char form[FORM_LEN];

	if (asker->fd < 0 || poll(&polled, 1, 0) <= 0)
		return asker->fd >= 0;
	if (receive_all(asker->fd, form, sizeof(form), until)) {
		form[sizeof(form) - 1] = 0;
		if (answer(asker, form, write, arg, until))
			return true;
	}
	asker_end(asker);
	return false;
}
