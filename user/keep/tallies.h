/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TALLIES_H
#define TALLIES_H

#include <stdbool.h>

#include "keep/sums.h"

/* Sums by two numbers and a part, with a bound on their number. */
struct tallies;

struct tally {
	uint64_t key[2];
	uint32_t table, part;	/* which table it belongs to, and which part of the row */
	char comm[17];		/* of the thread that counted last; or "" */
	struct sums sums;
};

struct tallies *tallies_create(void);
void tallies_free(struct tallies *tallies);

/* Returns the tally with these keys, made if it is new; NULL if there are too many. */
struct tally *tallies_get(struct tallies *tallies, uint32_t table, uint64_t first, uint64_t second,
			  uint32_t part);
/* Calls fn for each tally of a table, in the order in which they came. */
void tallies_each(const struct tallies *tallies, uint32_t table,
		  void (*fn)(void *arg, const struct tally *tally), void *arg);
bool tallies_are_empty(const struct tallies *tallies);
/* How many events had no tally. */
uint64_t tallies_nr_lost(const struct tallies *tallies);

#endif
