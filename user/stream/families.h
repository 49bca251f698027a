/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The catalogue of metrics: what each metric family is, whatever the exposition it is written in. A
 * figure of the module becomes a metric by one line in families.c.
 */
#ifndef FAMILIES_H
#define FAMILIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/figures.h"

enum family_type { FAMILY_GAUGE, FAMILY_COUNTER, FAMILY_HISTOGRAM };

/* What the series of a family are read from. */
enum family_of {
	FAMILY_OF_MODULE,
	FAMILY_OF_SESSION,	/* always 1: its labels are the information */
	FAMILY_OF_COUNTERS,	/* a member of struct ktrace_counters */
	FAMILY_OF_LOSSES,	/* one series for each of session_losses */
	FAMILY_OF_DELIVERIES,	/* a member of struct metrics_delivery, of each session and sink */
	FAMILY_OF_ROWS		/* a figure of each row of a table */
};

struct family {
	const char *name, *help;
	const char *unit;	/* of OTLP, where the name has none: "s", "By", "{call}" */
	enum family_type type;
	enum family_of of;
	bool is_time;		/* counted in ns, exposed in seconds */
	/* one more label, which rows have only if their table does not have the key `unless` */
	const char *label, *value;
	uint32_t unless;	/* KTRACE_KEY_*; 0: always */
	/* of counters */
	size_t counter;		/* offset in struct ktrace_counters, or in metrics_delivery */
	uint32_t sinks;		/* the session has one of these KTRACE_SINK_*; 0: any session */
	/* of rows; a histogram has the figure SUM, or TOTAL if the table has no SUM */
	uint32_t providers;	/* bits 1 << KTRACE_PROVIDER_* */
	enum figure figure;
	bool is_rare;		/* there is no series while the figure is 0 */
	/* only rows with this value of this key, which is no label then; 0: all rows */
	uint32_t part_key, part;
};

/*
 * In the order in which families are exposed. Families of the same name stand one behind the other;
 * the first one has the help.
 */
extern const struct family families[];
extern const size_t nr_families;

/*
 * The bounds of the exposed buckets are octaves from 1 us to 17 s. They never change, because series
 * with different bounds cannot be added. Each is a bound of the module's buckets, so counts are
 * exact: bound i counts durations of at most 2^(FAMILY_FIRST_OCTAVE + i) - 1 ns.
 */
#define FAMILY_FIRST_OCTAVE 10
#define FAMILY_NR_BOUNDS 25

static inline uint64_t family_bound(unsigned int i)
{
	return (1ULL << (FAMILY_FIRST_OCTAVE + i)) - 1;
}

/* Counts the durations of at most each bound. Returns the number of all durations. */
uint64_t family_count(uint64_t counts[FAMILY_NR_BOUNDS], const struct hist *hist);

/* How many series of a collector a series of the family becomes. */
static inline unsigned int family_nr_series(const struct family *family)
{
	/* the bounds, +Inf, the sum and the count */
	return family->type == FAMILY_HISTOGRAM ? FAMILY_NR_BOUNDS + 3 : 1;
}

#endif
