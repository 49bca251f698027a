// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "stream/outlet.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/out.h"

#define MOST_CRASHES 10
#define MOST_ANSWERS 16	/* at once: a sender may be mad */
#define BETWEEN_TELLS (60 * CLOCK_SECOND)

/* --- a part ---------------------------------------------------------------- */

void outlet_begin(struct outlet *outlet)
{
	outlet->nr = outlet->end = 0;
}

/* Adds a message. Returns PUT_FULL or PUT_REFUSED if it does not fit. */
static inline enum outlet_put put(struct outlet *outlet, const struct record *record,
			   const struct identity *identity)
{
	struct part *part = outlet->sender.part;
	struct json_line line = { .begin = part->bytes + outlet->end, .limit = part->bytes + PART_LEN };
	const char *end = outlet->sender.kind->put(&line, record, identity);

	if (!json_line_fits(&line, end))
		return outlet->nr ? PUT_FULL : PUT_REFUSED;
	if ((size_t)(end - line.begin) > outlet->sender.kind->max_message)
		return PUT_REFUSED;
	outlet->end = end - part->bytes;
	part->ends[outlet->nr++] = outlet->end;
	return PUT_DONE;
}

/* Not inline: most messages are short enough. */
static __attribute__((noinline)) enum outlet_put put_cut(struct outlet *outlet, struct record *record,
							 const struct identity *identity)
{
	const struct stack *stack = record->stack;
	enum outlet_put result;

	record->stack = NULL;
	result = put(outlet, record, identity);
	record->stack = stack;
	return result == PUT_DONE ? PUT_CUT : PUT_REFUSED;
}

enum outlet_put outlet_put(struct outlet *outlet, struct record *record,
			   const struct identity *identity)
{
	enum outlet_put result;

	if (outlet->nr == PART_MESSAGES)
		return PUT_FULL;
	result = put(outlet, record, identity);
	return result == PUT_REFUSED ? put_cut(outlet, record, identity) : result;
}

bool outlet_pass(struct outlet *outlet, const char *id)
{
	struct part *part = outlet->sender.part;

	if (!outlet->nr)
		return false;
	part->nr = outlet->nr;
	snprintf(part->id, sizeof(part->id), "%s", id);
	outlet->is_busy = true;
	outlet->nr_crashes = 0;
	sender_pass(&outlet->sender);
	return true;
}

/* --- answers ---------------------------------------------------------------- */

static void answered(struct outlet *outlet, bool is_done, uint32_t refused)
{
	outlet->is_busy = false;
	if (outlet->answered)
		outlet->answered(outlet->arg, outlet, is_done, refused);
}

static void tell_refused(struct outlet *outlet, uint32_t refused, const char *why)
{
	uint64_t now = clock_now_ns();

	if (!refused)
		return;
	outlet->nr_refused += refused;
	if (outlet->refusals_told_at && now - outlet->refusals_told_at < BETWEEN_TELLS)
		return;
	out_put(outlet->words, "ktrace: %s has refused %llu records so far, the last one because %s. They are not sent again.\n",
		outlet->text, (unsigned long long)outlet->nr_refused, why);
	outlet->refusals_told_at = now;
}

static void done(struct outlet *outlet, const struct answer *answer)
{
	tell_refused(outlet, answer->refused, answer->text);
	outlet->delivered_at = clock_realtime_of(clock_now_ns());
	outlet->is_down = false;
	answered(outlet, true, answer->refused);
}

static void over(struct outlet *outlet, const char *why)
{
	outlet->is_over = true;
	sender_stop(&outlet->sender);
	out_put(outlet->words, "ktrace: %s takes no more records: %s.\n", outlet->text, why);
	answered(outlet, false, 0);
}

/* The part is still there, so another sender delivers it, which may do so a second time. */
static void restart(struct outlet *outlet)
{
	struct err err;

	outlet->is_down = false;
	if (++outlet->nr_crashes > MOST_CRASHES || sender_restart(&outlet->sender, &err)) {
		over(outlet, outlet->nr_crashes > MOST_CRASHES ?
		     "its sender has ended ten times since it delivered something" :
		     err.text);
		return;
	}
	if (outlet->is_busy)
		sender_pass(&outlet->sender);
}

static void take(struct outlet *outlet, const struct answer *answer)
{
	switch (answer->kind) {
	case ANSWER_DONE:
		if (outlet->is_busy && answer->serial == outlet->sender.serial)
			done(outlet, answer);
		return;
	case ANSWER_DOWN:
		outlet->is_down = true;
		out_put(outlet->words, "ktrace: %s takes no records now: %s. They stay in the module, and are sent when it does.\n",
			outlet->text, answer->text);
		return;
	case ANSWER_UP:
		outlet->is_down = false;
		out_put(outlet->words, "ktrace: %s takes records again.\n", outlet->text);
		return;
	case ANSWER_OVER:
		over(outlet, answer->text);
		return;
	default:
		restart(outlet);
	}
}

void outlet_take_answers(struct outlet *outlet)
{
	struct answer answer;
	int nr = MOST_ANSWERS;

	while (nr-- && !outlet->is_over && sender_take_answer(&outlet->sender, &answer))
		take(outlet, &answer);
}

void outlets_wait(struct outlet *const *outlets, size_t nr, int ms)
{
	struct pollfd *polled = mem_alloc(nr * sizeof(*polled));
	size_t i;

	for (i = 0; i < nr; i++) {
		polled[i].fd = outlets[i]->is_over ? -1 : outlets[i]->sender.fd;
		polled[i].events = POLLIN;
	}
	poll(polled, nr, ms);
	free(polled);
}

/* --- life -------------------------------------------------------------------- */

int outlet_open(struct outlet *outlet, const char *text, const struct link_limits *limits,
		FILE *words, struct err *err)
{
	struct sender *sender = &outlet->sender;

	*outlet = (struct outlet){ .text = text, .words = words, .is_required = true };
	sender->limits = *limits;
	sender->kind = sink_find(text, &sender->address, err);
	return sender->kind && !sender_start(sender, err) ? 0 : -1;
}

void outlets_close(struct outlet **outlets, size_t nr)
{
	uint64_t until = clock_now_ns() + CLOCK_SECOND;
	size_t i;

	/* One that has not answered has nothing to say. */
	for (i = 0; i < nr; i++)
		if (!outlets[i]->is_busy && !outlets[i]->is_down)
			sender_dismiss(&outlets[i]->sender, until);
	for (i = 0; i < nr; i++) {
		outlet_close(outlets[i]);
		free(outlets[i]);
	}
}

void outlet_revive(struct outlet *outlet)
{
	struct err err;

	outlet->is_over = sender_restart(&outlet->sender, &err);
	outlet->nr_crashes = 0;
	outlet->is_down = false;
}

void outlet_close(struct outlet *outlet)
{
	sender_end(&outlet->sender);
}
