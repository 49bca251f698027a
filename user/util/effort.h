/* SPDX-License-Identifier: GPL-2.0 */
#ifndef EFFORT_H
#define EFFORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The CPU time and the memory that one command spends on files of others: programs, libraries,
 * debug files, lists of mappings. All files share these limits, so that many files cost no more
 * than one. Only time between effort_begin() and effort_end(), which nest, counts. A command that
 * runs for long may spend a twentieth of its time in addition.
 */
void effort_begin(void);
void effort_end(void);

/* Only tests change the limits. */
extern struct effort_limits {
	uint64_t ns;		/* CPU time */
	uint64_t memory;	/* resident memory of the command */
	uint64_t unpacked;	/* bytes that are unpacked, and not freed, at one time */
} effort_limits;

/*
 * Returns true if a limit is reached. The caller then omits the rest of its work. Call it in loops
 * whose length a file decides: it also lets signals in (signals_look()).
 */
bool effort_is_spent(void);

/* Returns how often effort_is_spent() was true. */
size_t effort_nr_refused(void);

/* Takes memory for unpacked bytes. Returns false if the limit would be exceeded. */
bool effort_take(size_t len);
void effort_give(size_t len);

/* Returns what reached its limit last, as a clause, or NULL. */
const char *effort_text(void);

#endif
