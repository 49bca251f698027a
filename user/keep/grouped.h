/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GROUPED_H
#define GROUPED_H

#include <stdbool.h>
#include <stdint.h>

#include "keep/filter.h"
#include "keep/packets.h"
#include "keep/sums.h"
#include "report/chosen.h"

/*
 * The events of a session in groups by keys that were chosen with --by. Groups have numbers. Calls of
 * functions are in one group only if they are calls of one function, whatever the keys are, because
 * recursion is that of a function; such groups are united when they are shown.
 */
struct grouped;

#define GROUPED_MOST (1 << 17)	/* threads and functions come from the recording */

/* keys: of --by, which must outlive the groups. */
struct grouped *grouped_create(const struct recording *recording, struct kept_session *session,
			       const struct ktrace_table *keys);
void grouped_free(struct grouped *grouped);

/* Returns the number of the group of a call: of a record ENTRY or EXIT; GROUPED_MOST: no room. */
uint32_t grouped_call(struct grouped *grouped, const struct packets *packets);
/* Returns the function of a group. */
uint32_t grouped_function(const struct grouped *grouped, uint32_t number);
/* Takes an event that is complete: a system call, a request, a period, a kernel function's call. */
void grouped_take(struct grouped *grouped, const struct ktr_record *event);
/* Returns how many events had no group of their own. */
uint64_t grouped_nr_lost(const struct grouped *grouped);
/* Returns true if no complete event was counted. */
bool grouped_is_empty(const struct grouped *grouped);

/* Adds a row with the keys of a group. The last key of such rows is the name of a task. */
struct row *grouped_add_row(const struct grouped *grouped, struct table *to, uint32_t number);
/* Adds the rows of all complete events. */
void grouped_fill(const struct grouped *grouped, struct table *to);

#endif
