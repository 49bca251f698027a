/* SPDX-License-Identifier: GPL-2.0 */
/* For measured*.c only. */
#ifndef MEASURED_PARTS_H
#define MEASURED_PARTS_H

#include "keep/measured.h"
#include "keep/tallies.h"
#include "report/profile.h"

#define MAX_ERRNO 4095
#define NO_STACK (1ULL << 32)	/* the key of an event without a stack; of a period: and its thread */

/* Tables of tallies, behind those of enum measured_kind. */
enum { MEASURED_ERRORS = MEASURED_NR, MEASURED_ALL_PERIODS, MEASURED_STACKS };

/* Sets the figures of calls of a function, or of a group with this number. */
void measured_fill_calls(const struct measured *measured, struct row *row, uint32_t number,
			 const struct func_sums *of);
/* Counts a sample. */
void measured_take_sample(struct measured *measured, const struct ktr_record *event);
/* The same result as that of profile_read(). The caller calls profile_free(). */
void measured_profile(const struct measured *measured, struct profile *profile);
/* Adds an event to its stack, in a session with stacks. */
void measured_take_stack(struct measured *measured, const struct ktr_record *event);
/* Sets the command of the head to the one that writes such documents. */
void measured_set_command(const struct measured *measured);
/* Corrects "complete": counters do not tell that records are missing. */
void measured_mark_part(const struct measured *measured, struct json_object *document);

#endif
