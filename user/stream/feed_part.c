// SPDX-License-Identifier: GPL-2.0
/* Fills the parts that outlets are given: events of the streamer, then records. */
#include <string.h>

#include "report/json_line.h"
#include "session/session.h"
#include "stream/feed_part.h"

/* --- records ------------------------------------------------------------------ */

void feed_name_session(struct feed *feed)
{
	feed->cookie_len = snprintf(feed->identity.id, sizeof(feed->identity.id), "%016llx.",
				    (unsigned long long)feed->session.cookie);
}

/* Names the packet, whose records have the same name up to their number. */
static void name_packet(struct feed *feed, uint32_t cpu, uint64_t packet)
{
	char *id = feed->identity.id, *to = json_put_u64(id + feed->cookie_len, cpu);

	to = json_put(json_put_bare_u64(json_put(to, "."), packet), ".");
	feed->prefix_len = to - id;
}

static void name_record(struct feed *feed, uint32_t index)
{
	struct identity *identity = &feed->identity;
	char *to = json_put_u64(identity->id + feed->prefix_len, index);

	*to = 0;
	identity->id_len = to - identity->id;
}

static enum outlet_put put(struct route *route, struct record *record)
{
	struct feed *feed = route->feed;

	feed->identity.realtime = record->event.time + feed->offset;
	return outlet_put(route->outlet, record, &feed->identity);
}

/* Puts an event of the streamer, which has no name. */
static enum outlet_put put_own(struct route *route, struct record *record)
{
	route->feed->identity.id_len = 0;
	record->kind = record_kind_of(record->event.id);
	return put(route, record);
}

static void tally(struct record_tally *tally, const struct ktrace_counters *counters)
{
	tally->produced = counters->produced;
	tally->acknowledged = counters->acknowledged;
	tally->dropped = counters->dropped;
	tally->held = counters->held;
}

static void put_begin(struct route *route)
{
	const struct ktr_session *session = &route->feed->session;
	struct record record = {
		.event = { .id = EVENT_BEGIN, .time = session->now.monotonic },
		.name = session_provider(session->provider),
	};

	tally(&record.tally, &session->counters);
	put_own(route, &record);
}

static void put_clock(struct route *route)
{
	struct record record = {
		.event = { .id = EVENT_CLOCK, .time = route->feed->session.now.monotonic },
		.tally = { .step = route->step },
	};

	put_own(route, &record);
}

static enum outlet_put put_gap(struct route *route, const struct load *load, uint64_t missing,
			       const char *reason)
{
	struct record record = {
		.event = {
			.id = EVENT_GAP, .time = load->end, .cpu = load->cpu, .duration = missing,
		},
		.tally = { .dropped = load->dropped },
		.path = reason,
	};

	return put_own(route, &record);
}

/* Losses and skipped records stand in front of the first record behind them. */
static void put_losses(struct route *route, const struct load *load)
{
	struct flight *flight = &route->flight;
	struct position *at = &flight->at;
	uint64_t skipped;

	if (load->packet && (at->packet == FEED_UNKNOWN || at->packet < load->packet->number)) {
		skipped = load->count - at->count - at->index;
		flight->account.skipped += skipped;
		if (skipped)
			put_gap(route, load, skipped, "skipped");
		*at = (struct position){
			.packet = load->packet->number, .count = load->count,
			.dropped = at->dropped,
		};
	}
	if (load->dropped > at->dropped) {
		put_gap(route, load, load->dropped - at->dropped, "full");
		at->dropped = load->dropped;
	}
}

/* Returns false if the part is full. */
static bool put_record(struct route *route, struct record *record)
{
	struct feed *feed = route->feed;
	struct flight *flight = &route->flight;

	name_record(feed, flight->at.index);
	record_parse(record, &record->event, &feed->options.names.source);
	switch (put(route, record)) {
	case PUT_FULL:
		return false;
	case PUT_REFUSED:
		flight->account.refused++;
		break;
	case PUT_CUT:
		flight->account.cut++;
		/* fall through */
	default:
		flight->nr++;
	}
	return true;
}

static bool is_shown(const struct feed *feed, const struct ktr_record *event)
{
	if (feed->options.only)
		return event->id == feed->options.only;
	return feed->options.has_entries || event->id != EVENT_ENTRY;
}

/* What a collector is not sent counts as delivered: it was chosen so. */
static void put_records(struct route *route, const struct load *load)
{
	const struct ktr_packet *packet = load->packet;
	struct flight *flight = &route->flight;
	struct record record;
	size_t at = 0;
	uint32_t index = 0;
	int got;

	while ((got = ktr_record_next(packet->data, packet->len, &at, &record.event)) > 0) {
		if (index++ < flight->at.index)
			continue;
		if (!is_shown(route->feed, &record.event))
			flight->nr++;
		else if (!put_record(route, &record))
			return;
		flight->at.index = index;
	}
	if (got < 0) {
		if (put_gap(route, load, packet->nr_records - index, "malformed") == PUT_FULL)
			return;
		flight->account.refused += packet->nr_records - index;
	}
	flight->at.packet++;
	flight->at.count += packet->nr_records;
	flight->at.index = 0;
}

/* --- parts --------------------------------------------------------------------- */

static void settle(struct route *route, uint32_t refused)
{
	const struct flight *flight = &route->flight;
	struct feed_account *account = &route->account;

	route->at[flight->cpu] = flight->at;
	if (refused > flight->nr)
		refused = flight->nr;
	account->delivered += flight->nr - refused;
	account->refused += flight->account.refused + refused;
	account->skipped += flight->account.skipped;
	account->cut += flight->account.cut;
	route->step -= flight->step;
	route->has_begun = true;
}

static void take_answer(void *arg, struct outlet *outlet, bool is_done, uint32_t refused)
{
	(void)outlet;
	if (is_done)
		settle(arg, refused);
}

void feed_pass_part(struct route *route, const struct load *load)
{
	struct outlet *outlet = route->outlet;
	char id[IDENTITY_LEN];
	uint32_t nr;

	outlet_begin(outlet);
	route->flight = (struct flight){
		.cpu = load->cpu, .at = route->at[load->cpu], .step = route->step,
	};
	if (!route->has_begun)
		put_begin(route);
	if (route->step)
		put_clock(route);
	put_losses(route, load);
	name_packet(route->feed, load->cpu, route->flight.at.packet);
	name_record(route->feed, route->flight.at.index);
	memcpy(id, route->feed->identity.id, sizeof(id));
	nr = outlet->nr;
	if (load->packet)
		put_records(route, load);
	outlet->answered = take_answer;
	outlet->arg = route;
	if (!outlet_pass(outlet, outlet->nr > nr ? id : ""))
		settle(route, 0);
}

/* What was acknowledged before this outlet had it cannot be read again. */
static void put_tail(struct route *route, uint32_t cpu)
{
	const struct position *acked = &route->feed->acked[cpu], *at = &route->at[cpu];
	uint64_t skipped = acked->count - at->count - at->index;
	const struct load load = {
		.cpu = cpu, .dropped = at->dropped, .end = route->feed->session.now.monotonic,
	};

	if (at->packet == FEED_UNKNOWN ? !acked->count : at->packet >= acked->packet)
		return;
	if (skipped)
		put_gap(route, &load, skipped, "skipped");
	route->account.skipped += skipped;
}

void feed_put_end(struct route *route)
{
	const struct ktr_session *session = &route->feed->session;
	struct record record = {
		.event = { .id = EVENT_END, .time = session->now.monotonic },
		.name = session_state(session->state),
	};
	uint32_t cpu;

	for (cpu = 0; cpu < route->feed->nr_cpus; cpu++)
		put_tail(route, cpu);
	tally(&record.tally, &session->counters);
	record.tally.delivered = route->account.delivered;
	record.tally.refused = route->account.refused;
	record.tally.skipped = route->account.skipped;
	put_own(route, &record);
}
