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

static ssize_t write_part(void *arg, const char *text, size_t len)
{
	struct outlet *outlet = arg;

	if (len > PART_LEN - outlet->len) {
		outlet->has_overflown = true;
		return len;
	}
	memcpy(outlet->sender.part->bytes + outlet->len, text, len);
	outlet->len += len;
	return len;
}

void outlet_begin(struct outlet *outlet)
{
	outlet->nr = outlet->end = outlet->len = 0;
}

/* Returns the length of the message. */
static size_t put(struct outlet *outlet, const struct record *record,
		  const struct identity *identity)
{
	outlet->len = outlet->end;
	outlet->has_overflown = false;
	outlet->sender.kind->put(outlet->out, record, identity);
	return outlet->len - outlet->end;
}

static bool is_too_long(const struct outlet *outlet, size_t len)
{
	return outlet->has_overflown || len > outlet->sender.kind->max_message;
}

enum outlet_put outlet_put(struct outlet *outlet, struct record *record,
			   const struct identity *identity)
{
	const struct stack *stack = record->stack;
	enum outlet_put result = PUT_DONE;

	if (outlet->nr == PART_MESSAGES)
		return PUT_FULL;
	if (is_too_long(outlet, put(outlet, record, identity))) {
		if (outlet->has_overflown && outlet->nr)
			return PUT_FULL;
		record->stack = NULL;
		result = is_too_long(outlet, put(outlet, record, identity)) ? PUT_REFUSED : PUT_CUT;
		record->stack = stack;
	}
	if (result != PUT_REFUSED) {
		outlet->end = outlet->len;
		outlet->sender.part->ends[outlet->nr++] = outlet->end;
	}
	return result;
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
		     "its sender has ended ten times while it delivered the same records" :
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
	const cookie_io_functions_t functions = { .write = write_part };
	struct sender *sender = &outlet->sender;

	*outlet = (struct outlet){ .text = text, .words = words, .is_required = true };
	sender->limits = *limits;
	sender->kind = sink_find(text, &sender->address, err);
	if (!sender->kind || sender_start(sender, err))
		return -1;
	outlet->out = fopencookie(outlet, "w", functions);
	if (!outlet->out) {
		sender_end(sender);
		return err_set(err, "There is no memory for the messages to %s.", text);
	}
	setvbuf(outlet->out, NULL, _IONBF, 0);
	return 0;
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
	if (outlet->out)
		fclose(outlet->out);
	sender_end(&outlet->sender);
}
