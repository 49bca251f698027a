/* SPDX-License-Identifier: GPL-2.0 */
/* Patterns of ktrace run that match nothing. */
#ifndef UNMATCHED_H
#define UNMATCHED_H

#include <stdbool.h>
#include <stddef.h>

struct plan;
struct trace;

/*
 * Before the program runs: reports options whose functions the program lacks. A child, or the next
 * program, may have them.
 */
void unmatched_warn(const struct trace *trace, const struct plan *plan);

/*
 * At the end: reports each pattern that has matched nothing. image: the program; nr_executed: the
 * other programs that it has executed.
 */
void unmatched_tell(const struct trace *trace, const char *image, size_t nr_executed);

/* Returns true if -f, or --below, has matched no function at all. */
bool unmatched_are_all(const struct trace *trace);

#endif
