/* SPDX-License-Identifier: GPL-2.0 */
#ifndef EFFORT_H
#define EFFORT_H

#include <stdbool.h>

/*
 * The CPU time and the memory that one command spends on files of others: programs, libraries,
 * debug files, lists of mappings. All files share these limits, so that many files cost no more
 * than one. Only time between effort_begin() and effort_end(), which nest, counts.
 */
void effort_begin(void);
void effort_end(void);

/*
 * Returns true if a limit is reached, from then on always. The caller then omits the rest of its
 * work. Call it in loops whose length a file decides: it also lets signals in (signals_look()).
 */
bool effort_is_spent(void);

/* Returns what reached its limit, as a clause, or NULL. */
const char *effort_text(void);

#endif
