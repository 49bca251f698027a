// SPDX-License-Identifier: GPL-2.0
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "serve/page.h"
#include "stream/http.h"
#include "stream/listen.h"

static struct http *http;

static const char *ask(void *arg, bool is_protobuf, FILE *out, struct err *err)
{
	return asker_ask(*(int *)arg, is_protobuf ? PAGE_PROTOBUF : "", out, err);
}

/* The process that served before may need a moment to end. */
#define MOST_TRIES 20
#define BETWEEN_TRIES_NS 50000000

static int open_listener(const char *address, struct err *err)
{
	const struct timespec pause = { .tv_nsec = BETWEEN_TRIES_NS };
	int tries = MOST_TRIES, fd;

	while ((fd = listen_open(address, err)) < 0 && --tries)
		nanosleep(&pause, NULL);
	return fd;
}

static int begin(const struct asker_work *work, int reader, struct err *err)
{
	int listener = work->file < 0 ? open_listener(work->text, err) : work->file;
	static int asked;

	asked = reader;
	return listener < 0 ? -1 : http_open(&http, listener, ask, &asked, err);
}

/*
 * At its limit of connections, libmicrohttpd does not accept. It begins again at a run after a
 * connection has ended, but does not always report that it needs this run.
 */
#define MOST_MS 1000

static int timeout(void)
{
	int ms = http_timeout(http);

	return ms < 0 || ms > MOST_MS ? MOST_MS : ms;
}

static void run(const struct asker_work *work, int reader)
{
	struct pollfd polled[] = {
		{ .fd = reader }, { .fd = http_fd(http), .events = POLLIN },
	};

	(void)work;
	while (!polled[0].revents) {
		poll(polled, 2, timeout());
		http_run(http);
	}
}

static struct asker_work work_of(const char *address, int listener)
{
	return (struct asker_work){
		.name = "ktrace-page", .kind = AWAY_PAGE, .file = listener, .text = address,
		.rights = SECCOMP_PAGE, .begin = begin, .run = run,
	};
}

void page_run_away(const char *address, int reader, int listener)
{
	const struct asker_work work = work_of(address, listener);

	asker_run(&work, reader);
}

/* Only a process that is away may open an address where this one must not. */
int page_start(struct asker *asker, const char *address, struct err *err)
{
	bool has_listener = listen_is_passed() || !away_is_used();
	int listener = has_listener ? listen_open(address, err) : -1, error;
	const struct asker_work work = work_of(address, listener);

	if (has_listener && listener < 0)
		return -1;
	error = asker_start(asker, &work, err);
	if (has_listener)
		close(listener);
	return error;
}
