/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OUTLET_H
#define OUTLET_H

#include <stdbool.h>
#include <stdio.h>

#include "report/record.h"
#include "stream/sender.h"

/* One destination of records, as the reader of the ring sees it. */
struct outlet {
	const char *text;	/* as the user wrote it: "relp:log1:2514" */
	FILE *words;		/* where it is reported that the collector goes and comes */
	bool is_required;	/* a packet stays in the ring until this outlet has it */
	struct sender sender;
	/* of the sender's part, which is only written, because the sender may have changed it: */
	uint32_t nr;		/* messages */
	uint32_t end;		/* bytes of them */
	bool is_busy;		/* a part is not answered yet */
	bool is_down;		/* the sender cannot deliver now */
	bool is_over;		/* it takes no more */
	/* who gave it the part; answered() is called once */
	void (*answered)(void *arg, struct outlet *outlet, bool is_done, uint32_t refused);
	void *arg;
	uint64_t delivered_at;	/* ns, CLOCK_REALTIME: the last part was delivered; 0: none was */
	uint64_t nr_refused;		/* by the collector */
	uint64_t refusals_told_at;	/* ns, CLOCK_MONOTONIC; 0: never */
	uint64_t nr_rows_missed;	/* rows.h: not passed on, or not answered */
	unsigned int nr_crashes;	/* of senders, with this part */
};

/* Starts the sender of text; words is stderr. Returns 0, or -1 with err set. */
int outlet_open(struct outlet *outlet, const char *text, const struct link_limits *limits,
		FILE *words, struct err *err);
void outlet_close(struct outlet *outlet);
/* Closes several at once, and frees them. */
void outlets_close(struct outlet **outlets, size_t nr);
/* Starts another sender for an outlet that is over. */
void outlet_revive(struct outlet *outlet);

/* Begins a part, which the caller may fill while the outlet is not busy. */
void outlet_begin(struct outlet *outlet);

enum outlet_put {
	PUT_DONE,
	PUT_CUT,	/* without its stack, which would have made it too long */
	PUT_REFUSED,	/* too long */
	PUT_FULL	/* the part has no room for it */
};

/* Adds a record to the part. */
enum outlet_put outlet_put(struct outlet *outlet, struct record *record,
			   const struct identity *identity);
/* Passes the part on, if it has messages. Returns false if it has none. */
bool outlet_pass(struct outlet *outlet, const char *id);

/* Takes all answers that have come. */
void outlet_take_answers(struct outlet *outlet);
/* Waits until an answer may have come at one of the outlets; at most ms. */
void outlets_wait(struct outlet *const *outlets, size_t nr, int ms);

#endif
