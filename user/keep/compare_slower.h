/* SPDX-License-Identifier: GPL-2.0 */
/* --fail-above: what got slower by more than a limit. */
#ifndef COMPARE_SLOWER_H
#define COMPARE_SLOWER_H

#include "keep/compare.h"

#define COMPARE_LEAST_SHARE 0.01	/* of the time of a side; rows below it are not judged */

/* row: NULL for all rows together. */
typedef void slower_fn(void *arg, const struct compare_row *row, enum compare_figure_id id,
		       const struct compare_change *change);

/* Has A a time that B can exceed? An empty run would make every B pass. */
bool compare_has_base(const struct comparison *comparison);

/*
 * Calls fn for each own time and each total that is longer in B by more than percent of A, and, if
 * the test can decide, significantly. Rows are judged if both sides have them and the figure is at
 * least a hundredth of the time of a side; chosen rows always. The sum of all rows is judged if there
 * are no chosen rows. Returns how many there are.
 */
size_t compare_each_slower(const struct comparison *comparison, double percent, slower_fn *fn,
			   void *arg);

#endif
