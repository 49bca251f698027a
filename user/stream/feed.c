// SPDX-License-Identifier: GPL-2.0
/*
 * Delivers the records of a session.
 *
 * A pass goes over the packets of all CPUs. A packet is offered to every outlet whose position is at
 * it, and waited for until all have answered; an outlet that takes too long is late, and the others
 * go on. When it answers, its position is behind, and the next pass begins again with the packets
 * that are not acknowledged. So nothing is copied for an outlet that waits.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "session/session.h"
#include "stream/feed_part.h"
#include "stream/machine.h"
#include "util/clock.h"
#include "util/mem.h"

#define PATIENCE (100 * 1000000ULL)	/* ns */
#define PASS_NS 1000000000ULL		/* what else there is to do must not wait longer */
#define FLUSH_NS 1000000000ULL		/* between two flushes while a required outlet waits */
#define CLOCK_IS_SET (1000000000LL)	/* ns */

/* --- loads --------------------------------------------------------------------- */

/* Can the outlet be given something? */
static bool is_free(const struct route *route)
{
	return !route->outlet->is_over && !route->outlet->is_busy;
}

/* A route that is behind first needs the packets that went by. */
static bool takes(const struct route *route)
{
	return is_free(route) && !route->is_behind;
}

static bool needs(const struct route *route, const struct load *load)
{
	const struct position *at = &route->at[load->cpu];

	if (load->packet && (at->packet == FEED_UNKNOWN || at->packet <= load->packet->number))
		return true;
	return load->dropped > at->dropped || !route->has_begun || route->step;
}

/* Returns true if a route has not delivered the load yet. */
static bool pass_parts(struct feed *feed, const struct load *load)
{
	bool is_pending = false;
	struct route *route;

	for (route = feed->routes; route < feed->routes + feed->nr; route++) {
		while (route->is_pending && is_free(route)) {
			route->is_pending = needs(route, load);
			if (route->is_pending)
				feed_pass_part(route, load);
		}
		if (route->is_pending && route->outlet->is_over) {
			route->is_pending = false;
			route->is_behind = true;
		}
		is_pending |= route->is_pending;
	}
	return is_pending;
}

static void take_answers(struct feed *feed)
{
	size_t i;

	for (i = 0; i < feed->nr; i++)
		outlet_take_answers(feed->outlets[i]);
}

static void leave_late(struct feed *feed)
{
	struct route *route;

	for (route = feed->routes; route < feed->routes + feed->nr; route++) {
		if (!route->is_pending)
			continue;
		route->is_pending = false;
		route->is_behind = true;
	}
}

/*
 * Chooses the routes that are given a load. A route whose outlet is busy with another part misses
 * this one, and reads it later. Returns how many are given it.
 */
static unsigned int choose(struct feed *feed, const struct load *load)
{
	struct route *route;
	unsigned int nr = 0;

	for (route = feed->routes; route < feed->routes + feed->nr; route++) {
		route->is_pending = takes(route) && needs(route, load);
		if (!takes(route) && needs(route, load))
			route->is_behind = true;
		nr += route->is_pending;
	}
	return nr;
}

static unsigned int nr_pending(const struct feed *feed)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < feed->nr; i++)
		nr += feed->routes[i].is_pending;
	return nr;
}

static unsigned int nr_alive(const struct feed *feed)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < feed->nr; i++)
		nr += !feed->outlets[i]->is_over;
	return nr;
}

/*
 * In a pass, outlets that have answered, or that are ahead and have this load, wait for the others
 * no longer than PATIENCE in all.
 */
static void give(struct feed *feed, const struct load *load)
{
	unsigned int nr = choose(feed, load);
	uint64_t begin = clock_now_ns(), now = begin;
	uint64_t answered = nr < nr_alive(feed) ? begin : 0;

	while (pass_parts(feed, load)) {
		now = clock_now_ns();
		if (!answered && nr_pending(feed) < nr)
			answered = now;
		if (now - begin > PATIENCE ||
		    (answered && feed->waited + now - answered > PATIENCE)) {
			leave_late(feed);
			break;
		}
		outlets_wait(feed->outlets, feed->nr, 10);
		take_answers(feed);
	}
	if (answered)
		feed->waited += now - answered;
}

static bool any(const struct feed *feed, bool (*is)(const struct route *route))
{
	size_t i;

	for (i = 0; i < feed->nr; i++)
		if (is(&feed->routes[i]))
			return true;
	return false;
}

/* --- passes --------------------------------------------------------------------- */

static int look(struct feed *feed)
{
	const struct feed_names *names = &feed->options.names;

	return names->look ? names->look(names->arg, &feed->session) : 0;
}

static void set_clock(struct feed *feed)
{
	int64_t offset = feed->session.now.realtime - feed->session.now.monotonic;
	int64_t step = offset - feed->offset;
	size_t i;

	if (step > CLOCK_IS_SET || step < -CLOCK_IS_SET)
		for (i = 0; i < feed->nr; i++)
			feed->routes[i].step += step;
	feed->offset = offset;
}

/* Reads from the first packet that is not acknowledged, if an outlet that can go on is behind. */
static int go_back(struct feed *feed)
{
	bool is_behind = false;
	size_t i;

	for (i = 0; i < feed->nr; i++) {
		if (!feed->routes[i].is_behind || !is_free(&feed->routes[i]))
			continue;
		feed->routes[i].is_behind = false;
		is_behind = true;
	}
	if (!is_behind)
		return 0;
	for (i = 0; i < feed->nr_cpus; i++)
		feed->counts[i] = feed->acked[i].count;
	return ktr_stream_rewind(feed->stream);
}

static void give_packet(struct feed *feed, const struct ktr_packet *packet)
{
	uint64_t *count = &feed->counts[packet->cpu];
	const struct load load = {
		.packet = packet, .cpu = packet->cpu, .count = *count,
		.dropped = packet->discarded, .end = packet->begin,
	};

	/* The module has acknowledged what is missing before the first packet. */
	if (!feed->read[packet->cpu])
		feed->acked[packet->cpu].packet = packet->number;
	feed->read[packet->cpu] = packet->number + 1;
	*count += packet->nr_records;
	feed->nr_packets++;
	give(feed, &load);
}

/* What a CPU lost behind its last packet is in its counters only. */
static void give_losses(struct feed *feed)
{
	struct ktr_stream_cpu state;
	unsigned int cpu;

	for (cpu = 0; cpu < feed->nr_cpus && any(feed, takes); cpu++) {
		ktr_stream_cpu(feed->stream, cpu, &state);
		give(feed, &(struct load){
			.cpu = cpu, .dropped = state.counters.dropped_full,
			.end = feed->session.now.monotonic,
		});
	}
}

static bool is_required(const struct route *route)
{
	return route->outlet->is_required;
}

/* A route that was given no packet of the CPU yet needs them all. */
static bool is_before(const struct position *at, const struct position *other)
{
	return at->packet == FEED_UNKNOWN || (other->packet != FEED_UNKNOWN && at->packet < other->packet);
}

/*
 * A packet is acknowledged when all required outlets are behind it; all outlets, if none is
 * required.
 */
static void acknowledge(struct feed *feed)
{
	const struct position *least, *at;
	bool has_required = any(feed, is_required);
	struct route *route;
	unsigned int cpu;

	for (cpu = 0; cpu < feed->nr_cpus; cpu++) {
		least = NULL;
		for (route = feed->routes; route < feed->routes + feed->nr; route++) {
			at = &route->at[cpu];
			if ((has_required ? is_required(route) : !route->outlet->is_over) &&
			    (!least || is_before(at, least)))
				least = at;
		}
		if (!least || least->packet == FEED_UNKNOWN)
			continue;
		if (least->packet < feed->acked[cpu].packet)
			continue;
		ktr_stream_ack(feed->stream, cpu, least->packet);
		feed->acked[cpu] = *least;
	}
}

bool feed_is_behind(const struct feed *feed)
{
	size_t i;

	for (i = 0; i < feed->nr; i++)
		if (!feed->outlets[i]->is_over &&
		    (feed->routes[i].is_behind || feed->outlets[i]->is_busy))
			return true;
	return false;
}

static enum feed_state fail(struct feed *feed, int error, struct err *err)
{
	struct ktr_session now;

	if (error == -ENOENT)
		return FEED_GONE;
	if (error == -EBUSY && !ktr_session_get(feed->ktr, feed->session.id, &now))
		err_set(err, "Process %d already reads the stream of %s, which can have only one reader at a time.",
			now.reader, feed->session.name);
	else
		err_set(err, "The stream of %s cannot be read: %s.", feed->session.name,
			ktr_reason(feed->ktr, error));
	return FEED_FAILED;
}

/* *is_whole: all CPUs were read; otherwise the next pass goes on there. */
static int read_packets(struct feed *feed, bool *is_whole)
{
	uint64_t until = clock_now_ns() + PASS_NS;
	struct ktr_packet packet;
	int got = 1, error;

	*is_whole = false;
	while (any(feed, takes) && clock_now_ns() < until &&
	       (got = ktr_stream_next(feed->stream, &packet)) > 0) {
		error = look(feed);
		if (error)
			return error;
		give_packet(feed, &packet);
	}
	if (!got)
		give_losses(feed);
	*is_whole = !got;
	return got < 0 ? got : 0;
}

static bool has_ended(const struct ktr_session *session)
{
	return session->state == KTRACE_STATE_STOPPED || session->state == KTRACE_STATE_FAILED;
}

static bool is_free_behind(const struct route *route)
{
	return is_free(route) && route->is_behind;
}

static bool is_stopping(const struct route *route)
{
	return is_required(route) && !takes(route);
}

/* Is half of each CPU's ring free of packets that were read? */
static bool has_room(const struct feed *feed)
{
	unsigned int cpu;

	for (cpu = 0; cpu < feed->nr_cpus; cpu++)
		if (feed->read[cpu] > feed->acked[cpu].packet + feed->session.nr_subbufs / 2)
			return false;
	return true;
}

/*
 * While a required outlet takes nothing, the ring fills. Packets that are closed for the others
 * before they are full would fill it sooner: it is done seldom, and not at all in the second half.
 */
static void choose_flush(struct feed *feed)
{
	uint64_t now = clock_now_ns();
	bool is_stopped = any(feed, is_stopping);
	bool has_flush = !is_stopped || (now >= feed->next_flush && has_room(feed));

	if (has_flush)
		feed->next_flush = now + FLUSH_NS;
	ktr_stream_set_flags(feed->stream, has_flush ? 0 : KTR_CLOSED_PACKETS);
}

enum feed_state feed_pass(struct feed *feed, struct err *err)
{
	bool was_over, is_whole = true;
	int error;

	take_answers(feed);
	error = ktr_session_get(feed->ktr, feed->session.id, &feed->session);
	was_over = has_ended(&feed->session);
	if (!error) {
		set_clock(feed);
		acknowledge(feed);
		error = go_back(feed);
	}
	if (error)
		return fail(feed, error, err);
	if (!any(feed, takes))
		return FEED_WAITS;
	choose_flush(feed);
	feed->nr_packets = feed->waited = 0;
	error = read_packets(feed, &is_whole);
	acknowledge(feed);
	if (error)
		return fail(feed, error, err);
	if (feed_is_behind(feed))
		return any(feed, is_free_behind) ? FEED_BUSY : FEED_WAITS;
	if (!is_whole)
		return FEED_BUSY;
	return was_over && !feed->nr_packets ? FEED_ENDED :
	       feed->nr_packets > feed->nr_cpus ? FEED_BUSY : FEED_IDLE;
}

/* --- life ------------------------------------------------------------------------ */

void feed_finish(struct feed *feed)
{
	struct ktr_session now;
	struct route *route;

	acknowledge(feed);
	ktr_stream_sync(feed->stream);
	if (!ktr_session_get(feed->ktr, feed->session.id, &now))
		feed->session = now;
	for (route = feed->routes; route < feed->routes + feed->nr; route++) {
		if (!is_free(route) || !route->has_begun)
			continue;
		outlet_begin(route->outlet);
		feed_put_end(route);
		route->outlet->answered = NULL;
		outlet_pass(route->outlet, "");
	}
}

static void set_identity(struct feed *feed)
{
	struct identity *identity = &feed->identity;

	feed->machine = machine_find();
	identity_set_session(identity, feed->session.name);
	identity_set_host(identity, feed->machine->host);
	identity->boot = feed->machine->boot;
	feed->json = machine_json(feed->machine, feed->session.name);
	identity->json = feed->json;
	identity->json_len = strlen(feed->json);
	feed_name_session(feed);
}

static void add_routes(struct feed *feed, struct outlet *const *outlets, size_t nr)
{
	struct route *route;
	unsigned int cpu;

	feed->outlets = mem_alloc((nr + 1) * sizeof(*feed->outlets));
	feed->routes = mem_alloc((nr + 1) * sizeof(*feed->routes));
	memcpy(feed->outlets, outlets, nr * sizeof(*outlets));
	feed->nr = nr;
	for (route = feed->routes; route < feed->routes + nr; route++) {
		route->feed = feed;
		route->outlet = *outlets++;
		if (feed->options.earlier)
			route->account = feed->options.earlier[route - feed->routes];
		route->at = mem_alloc((feed->nr_cpus + 1) * sizeof(*route->at));
		for (cpu = 0; cpu < feed->nr_cpus; cpu++)
			route->at[cpu].packet = FEED_UNKNOWN;
	}
}

struct feed *feed_open(struct ktr *ktr, const struct ktr_session *session,
		       const struct feed_options *options, struct outlet *const *outlets, size_t nr,
		       struct err *err)
{
	struct feed *feed = mem_alloc(sizeof(*feed));
	int error;

	feed->ktr = ktr;
	feed->session = *session;
	feed->options = *options;
	error = ktr_stream_open(ktr, session->id, 0, &feed->stream);
	if (error == -ENODATA)
		err_set(err, "The session %s keeps no records; attach with --stream to keep them.",
			session->name);
	else if (error)
		fail(feed, error, err);
	if (error) {
		free(feed);
		return NULL;
	}
	feed->nr_cpus = ktr_stream_nr_cpus(feed->stream);
	feed->counts = mem_alloc((feed->nr_cpus + 1) * sizeof(*feed->counts));
	feed->read = mem_alloc((feed->nr_cpus + 1) * sizeof(*feed->read));
	feed->acked = mem_alloc((feed->nr_cpus + 1) * sizeof(*feed->acked));
	feed->offset = session->now.realtime - session->now.monotonic;
	set_identity(feed);
	add_routes(feed, outlets, nr);
	return feed;
}

/* An outlet may still have a part of this feed. Its answer is ignored. */
void feed_close(struct feed *feed)
{
	struct route *route;

	if (!feed)
		return;
	for (route = feed->routes; route < feed->routes + feed->nr; route++) {
		if (route->outlet->arg == route)
			route->outlet->answered = NULL;
		free(route->at);
	}
	ktr_stream_close(feed->stream);
	machine_free(feed->machine);
	free(feed->json);
	free(feed->outlets);
	free(feed->routes);
	free(feed->acked);
	free(feed->counts);
	free(feed->read);
	free(feed);
}

const struct ktr_session *feed_session(const struct feed *feed)
{
	return &feed->session;
}

struct feed_account feed_account(const struct feed *feed, size_t outlet)
{
	return feed->routes[outlet].account;
}
