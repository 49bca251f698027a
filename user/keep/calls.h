/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The calls of a session, rebuilt from its records: figures of functions and the calling-context
 * tree. In each thread, calls end before their callers (post-order): what has ended at one depth and
 * has no caller yet belongs to the next call that ends one level above. Therefore the record of the end
 * is enough; entries only tell which calls were still open.
 */
#ifndef CALLS_H
#define CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "keep/filter.h"
#include "keep/forest.h"
#include "keep/merged.h"
#include "keep/sums.h"

struct calls;

/* A call whose end is known, for exporters of single calls. Calls of a thread nest. */
struct call {
	uint32_t tid, func;
	uint16_t depth;		/* as recorded */
	uint8_t flags;		/* KTRACE_REC_F_*; OPEN: it has not ended, or after the window */
	bool has_entry;		/* its entry was recorded, too */
	uint64_t begin, end;	/* ns: begin is no earlier than what ended before in this thread */
	uint64_t duration;	/* as recorded */
};
typedef void call_fn(void *arg, const struct call *call);

/* The figures of a function. TOTAL of recursive calls follows from the tree. */
struct func_sums {
	struct sums sums;
	uint64_t entries, since;
	uint64_t self_ns;	/* modulo 2^64: it may be below 0 */
	uint64_t bound_calls, bound_ns, bound_self_ns;
	uint64_t full_ns;	/* of calls that have no node */
	uint8_t choice;		/* whether the filter has it: 0: not asked yet */
};

/* What is only known of a part. */
struct calls_remarks {
	uint64_t nr_orphans;	/* calls whose caller was not recorded */
	uint64_t nr_open;	/* calls that had not ended */
	uint64_t nr_full;	/* calls on paths for which there was no room */
};

struct calls *calls_create(const struct recording *recording, struct kept_session *session,
			   const struct filter *filter);
void calls_free(struct calls *calls);

/* Each call is passed to fn, a caller after its callees. */
void calls_pass_to(struct calls *calls, call_fn *fn, void *arg);

/*
 * Figures are those of groups, before the first record: where a number of a function is said, that of
 * a group is meant.
 */
struct grouped;
void calls_group(struct calls *calls, struct grouped *grouped);
/* Returns the function of such a number. */
uint32_t calls_function(const struct calls *calls, uint32_t number);

/* Takes a record of the session, or a gap. */
void calls_take(struct calls *calls, const struct packets *packets);
/* Called after the last record: what has no caller yet goes to the top of the tree. */
void calls_finish(struct calls *calls);

/* After calls_finish(): the tree, and figures of functions below *nr. */
const struct forest *calls_forest(const struct calls *calls);
const struct func_sums *calls_functions(const struct calls *calls, uint32_t *nr);
const struct calls_remarks *calls_remarks(const struct calls *calls);
/* The function that stands for callers that were not recorded: its number in names. */
#define CALLS_NO_CALLER 0xfffffffdU
#define CALLS_NO_CALLER_NAME "[caller not recorded]"

#endif
