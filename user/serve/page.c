// SPDX-License-Identifier: GPL-2.0
#include <poll.h>
#include <unistd.h>

#include "serve/page.h"
#include "stream/http.h"

static struct http *http;

static const char *ask(void *arg, bool is_protobuf, FILE *out, struct err *err)
{
	return asker_ask(*(int *)arg, is_protobuf ? PAGE_PROTOBUF : "", out, err);
}

static int begin(const struct asker_work *work, int reader, struct err *err)
{
	static int asked;

	asked = reader;
	return http_open(&http, work->file, ask, &asked, err);
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

int page_start(struct asker *asker, int listener, struct err *err)
{
	const struct asker_work work = {
		.name = "ktrace-page", .file = listener, .rights = SECCOMP_PAGE, .begin = begin, .run = run,
	};
	int error = asker_start(asker, &work, err);

	close(listener);
	return error;
}
