// SPDX-License-Identifier: GPL-2.0
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/push.h"
#include "stream/metrics_otlp.h"
#include "stream/otlp_post.h"
#include "util/clock.h"
#include "util/out.h"

#define MS 1000000	/* ns */

struct push {
	const struct asker_work *work;
	struct web *web;
	int reader;
	bool is_down;		/* this was reported */
};

/* Waits, and ends with the reader. */
static void rest(int reader, uint64_t ns)
{
	struct pollfd polled = { .fd = reader };

	if (poll(&polled, 1, ns / MS) > 0)
		_exit(EXIT_SUCCESS);
}

static void look(void *arg)
{
	rest(*(int *)arg, 0);
}

static void tell(struct push *push, bool is_down, const char *why)
{
	if (is_down && !push->is_down)
		out_put(push->work->words, "ktrace: %s takes no metrics now: %s. Counters lose nothing by that.\n",
			push->work->text, why);
	else if (!is_down && push->is_down)
		out_put(push->work->words, "ktrace: %s takes metrics again.\n", push->work->text);
	push->is_down = is_down;
}

/* Counters are cumulative, so a request that was not taken is not sent again: the next has more. */
static void post(struct push *push, char *bytes, size_t len)
{
	const struct protobuf request = { .bytes = (void *)bytes, .len = len, .room = len };
	struct otlp_answer answer = { .rejected = 0 };
	struct err err = { "" };
	int wait_ms = 0;
	enum otlp_outcome outcome = otlp_post(push->web, METRICS_OTLP_PATH, &request, &answer,
					      &wait_ms, &err);

	if (outcome == OTLP_TAKEN && answer.rejected)
		tell(push, true, answer.why);
	else
		tell(push, outcome != OTLP_TAKEN, err.text);
}

static void post_all(struct push *push, char *text, size_t len)
{
	uint32_t one;

	while (len >= sizeof(one)) {
		memcpy(&one, text, sizeof(one));
		if (one > len - sizeof(one))
			return;
		post(push, text + sizeof(one), one);
		text += sizeof(one) + one;
		len -= sizeof(one) + one;
	}
}

static void push_once(struct push *push)
{
	struct err err = { "" };
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	const char *type;

	if (!out)
		return;
	type = asker_ask(push->reader, PUSH_FORM, out, &err);
	fclose(out);
	if (type)
		post_all(push, text, len);
	else
		tell(push, true, err.text);
	free(text);
}

/* libcurl is loaded here, where privileges are dropped. */
static void run(const struct asker_work *work, int reader)
{
	struct push push = { .work = work, .reader = reader };
	struct err err;

	if (otlp_open(&push.web, work->text, look, &push.reader, &err)) {
		out_put(work->words, "ktrace: Metrics cannot be sent to %s: %s.\n", work->text, err.text);
		return;
	}
	for (;;) {
		push_once(&push);
		rest(reader, work->interval);
	}
}

static struct asker_work work_of(const char *url, uint64_t interval, FILE *words)
{
	return (struct asker_work){
		.name = "ktrace-push", .kind = AWAY_PUSH, .file = -1, .rights = SECCOMP_CURL,
		.text = url, .interval = interval, .words = words, .run = run,
	};
}

void push_run_away(const char *url, int reader, uint64_t interval)
{
	const struct asker_work work = work_of(url, interval, stderr);

	asker_run(&work, reader);
}

int push_start(struct asker *asker, const char *url, uint64_t interval, FILE *words, struct err *err)
{
	const struct asker_work work = work_of(url, interval, words);

	return asker_start(asker, &work, err);
}
