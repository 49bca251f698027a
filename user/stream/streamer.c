// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "session/session.h"
#include "stream/streamer.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/signals.h"

#define MS 1000000ULL	/* ns */

int streamer_open(struct streamer *streamer, const char *const *texts, size_t nr,
		  const struct link_limits *limits, FILE *words, struct err *err)
{
	struct outlet *outlet;
	size_t i;

	if (limits->keep && !limits->size)
		return err_set(err, "--to-keep is the number of former files, which there are with --to-size only: add --to-size SIZE.");
	for (; nr; nr--, texts++) {
		for (i = 0; i < streamer->nr_outlets; i++)
			if (!strcmp(streamer->outlets[i]->text, *texts))
				return err_set(err, "--to %s is given twice.", *texts);
		outlet = mem_alloc(sizeof(*outlet));
		if (outlet_open(outlet, *texts, limits, words, err)) {
			free(outlet);
			return -1;
		}
		streamer->outlets = mem_grow(streamer->outlets, streamer->nr_outlets,
					     sizeof(*streamer->outlets));
		streamer->outlets[streamer->nr_outlets++] = outlet;
	}
	return 0;
}

void streamer_close(struct streamer *streamer)
{
	size_t i;

	for (i = 0; i < streamer->nr_feeds; i++)
		feed_close(streamer->feeds[i]);
	outlets_close(streamer->outlets, streamer->nr_outlets);
	if (streamer->news)
		close(streamer->news);
	free(streamer->feeds);
	free(streamer->outlets);
	*streamer = (struct streamer){ .ktr = NULL };
}

void streamer_tell_promises(FILE *out, const struct streamer *streamer)
{
	const struct sink_kind *kind;
	size_t i;

	for (i = 0; i < streamer->nr_outlets; i++) {
		kind = streamer->outlets[i]->sender.kind;
		out_put(out, "ktrace: %s: %s: %s.\n", streamer->outlets[i]->text,
			sink_class(kind, streamer->outlets[i]->sender.address),
			sink_promise(kind, streamer->outlets[i]->sender.address));
	}
}

int streamer_add(struct streamer *streamer, const struct ktr_session *session,
		 const struct feed_options *options, struct err *err)
{
	struct feed *feed = feed_open(streamer->ktr, session, options, streamer->outlets,
				      streamer->nr_outlets, err);

	if (!feed)
		return -1;
	streamer->feeds = mem_grow(streamer->feeds, streamer->nr_feeds, sizeof(*streamer->feeds));
	streamer->feeds[streamer->nr_feeds++] = feed;
	return 0;
}

/* Nothing waits for an outlet that will never take more. */
static void drop_over(struct streamer *streamer)
{
	size_t i;

	for (i = 0; i < streamer->nr_outlets; i++)
		if (streamer->outlets[i]->is_over)
			streamer->outlets[i]->is_required = false;
}

/* A sender that was started again has another descriptor. */
static void watch_senders(struct streamer *streamer)
{
	struct epoll_event event = { .events = EPOLLIN };
	size_t i;

	for (i = 0; streamer->news && i < streamer->nr_outlets; i++)
		epoll_ctl(streamer->news, EPOLL_CTL_ADD, streamer->outlets[i]->sender.fd, &event);
}

/* A session with more records than its sinks take needs a second, so not all have their turn. */
int streamer_pass(struct streamer *streamer, size_t *nr_left, bool *has_more, struct err *err)
{
	uint64_t until = clock_now_ns() + CLOCK_SECOND;
	enum feed_state state;
	size_t i;

	*nr_left = 0;
	*has_more = false;
	drop_over(streamer);
	watch_senders(streamer);
	for (i = 0; i < streamer->nr_feeds && clock_now_ns() < until; i++) {
		state = feed_pass(streamer->feeds[streamer->turn++ % streamer->nr_feeds], err);
		if (state == FEED_FAILED)
			return -1;
		*nr_left += state != FEED_ENDED && state != FEED_GONE;
		*has_more |= state == FEED_BUSY;
	}
	*nr_left += streamer->nr_feeds - i;
	*has_more |= i < streamer->nr_feeds;
	return 0;
}

int streamer_fd(struct streamer *streamer)
{
	struct epoll_event event = { .events = EPOLLIN };

	streamer->news = epoll_create1(EPOLL_CLOEXEC);
	epoll_ctl(streamer->news, EPOLL_CTL_ADD, ktr_notice_fd(streamer->ktr), &event);
	watch_senders(streamer);
	return streamer->news;
}

bool streamer_is_over(const struct streamer *streamer)
{
	size_t i;

	for (i = 0; i < streamer->nr_outlets; i++)
		if (!streamer->outlets[i]->is_over)
			return false;
	return true;
}

/* --- the end --------------------------------------------------------------------- */

/* How long the end may take. */
struct patience {
	uint64_t until;		/* ns, CLOCK_MONOTONIC */
	int nr_ends;		/* before */
};

static bool is_over(const struct patience *patience)
{
	signals_look();
	return clock_now_ns() >= patience->until || signals_nr_ends > patience->nr_ends;
}

static bool is_busy(const struct streamer *streamer)
{
	size_t i;

	for (i = 0; i < streamer->nr_outlets; i++)
		if (streamer->outlets[i]->is_busy)
			return true;
	return false;
}

static void wait_for_answers(struct streamer *streamer, const struct patience *patience)
{
	size_t i;

	while (is_busy(streamer) && !is_over(patience)) {
		outlets_wait(streamer->outlets, streamer->nr_outlets, 10);
		for (i = 0; i < streamer->nr_outlets; i++)
			outlet_take_answers(streamer->outlets[i]);
	}
}

/* Returns 0 if a pass found nothing from before the call, 1 if there may be more, or -1. */
static int deliver_some(struct streamer *streamer, const struct patience *patience, struct err *err)
{
	enum feed_state state;
	int has_more = 0;
	size_t i;

	for (i = 0; i < streamer->nr_feeds && !is_over(patience); i++) {
		state = feed_pass(streamer->feeds[i], err);
		if (state == FEED_FAILED)
			return -1;
		has_more |= state == FEED_WAITS || feed_is_behind(streamer->feeds[i]);
	}
	return has_more;
}

int streamer_finish(struct streamer *streamer, int ms, struct err *err)
{
	struct patience patience = { clock_now_ns() + ms * MS, signals_nr_ends };
	size_t i;
	int got;

	while ((got = deliver_some(streamer, &patience, err)) > 0 && !streamer_is_over(streamer) &&
	       !is_over(&patience))
		outlets_wait(streamer->outlets, streamer->nr_outlets, 10);
	if (got < 0)
		return -1;
	wait_for_answers(streamer, &patience);
	for (i = 0; i < streamer->nr_feeds; i++) {
		feed_finish(streamer->feeds[i]);
		wait_for_answers(streamer, &patience);
	}
	return 0;
}

/* Returns true if the outlet got all records of the feed. */
static bool tell_outlet(FILE *out, const struct feed *feed, size_t i, const struct outlet *outlet)
{
	struct feed_account account = feed_account(feed, i);
	const char *name = feed_session(feed)->name;

	if (account.refused)
		out_put(out, "ktrace: %llu records of %s were refused by %s, or are too long for it.\n",
			(unsigned long long)account.refused, name, outlet->text);
	if (account.skipped)
		out_put(out, "ktrace: %llu records of %s were skipped for %s, which took none for too long.\n",
			(unsigned long long)account.skipped, name, outlet->text);
	if (account.cut)
		out_put(out, "ktrace: %llu records of %s were sent to %s without their stacks, to be short enough.\n",
			(unsigned long long)account.cut, name, outlet->text);
	return !account.refused && !account.skipped;
}

/* Returns true if no row was missed. */
static bool tell_rows(FILE *out, const struct outlet *outlet)
{
	if (outlet->nr_rows_missed)
		out_put(out, "ktrace: %llu rows were not passed on to %s, which took nothing at that time.\n",
			(unsigned long long)outlet->nr_rows_missed, outlet->text);
	return !outlet->is_over && !outlet->nr_rows_missed;
}

bool streamer_tell_losses(FILE *out, const struct streamer *streamer)
{
	const struct ktr_session *session;
	bool is_complete = true;
	size_t i, k;

	for (i = 0; i < streamer->nr_outlets; i++)
		is_complete &= tell_rows(out, streamer->outlets[i]);
	for (i = 0; i < streamer->nr_feeds; i++) {
		session = feed_session(streamer->feeds[i]);
		for (k = 0; k < streamer->nr_outlets; k++)
			is_complete &= tell_outlet(out, streamer->feeds[i], k, streamer->outlets[k]);
		if (feed_is_behind(streamer->feeds[i])) {
			out_put(out, "ktrace: Not all records of %s are delivered. The others stay in the module as long as the session does; the same command sends them.\n",
				session->name);
			is_complete = false;
		}
	}
	return is_complete;
}
