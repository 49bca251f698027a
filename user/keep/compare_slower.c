// SPDX-License-Identifier: GPL-2.0
#include "keep/compare_slower.h"

static const enum compare_figure_id judged[] = {
	COMPARE_SELF, COMPARE_TOTAL, COMPARE_SELF_OF_ALL, COMPARE_TOTAL_OF_ALL,
};

struct judging {
	const struct comparison *comparison;
	double percent;
	struct compare_change whole;	/* the time of all rows */
	slower_fn *fn;
	void *arg;
	size_t nr;
};

static void judge(struct judging *judging, const struct compare_row *row,
		  enum compare_figure_id id, const struct compare_change *change)
{
	if (!change->has_percent || change->percent <= judging->percent)
		return;
	if (compare_is_decisive(judging->comparison) && !change_is_significant(change))
		return;
	if (compare_figures[id].is_share && compare_is_chance(judging->comparison, change))
		return;
	judging->nr++;
	judging->fn(judging->arg, row, id, change);
}

static bool is_large(const struct judging *judging, const struct compare_change *change)
{
	int side;

	for (side = 0; side < NR_SIDES; side++)
		if (change->of[side].median &&
		    change->of[side].median >= COMPARE_LEAST_SHARE * judging->whole.of[side].median)
			return true;
	return false;
}

static void judge_row(struct judging *judging, const struct compare_row *row)
{
	const struct match *match = judging->comparison->match;
	struct compare_change change;
	size_t i;

	if (!row->runs[SIDE_A] || !row->runs[SIDE_B])
		return;
	for (i = 0; i < sizeof(judged) / sizeof(*judged); i++) {
		change = compare_change(judging->comparison, row, judged[i]);
		if (change.is_known && ((match && match->nr) || is_large(judging, &change)))
			judge(judging, row, judged[i], &change);
	}
}

bool compare_has_base(const struct comparison *comparison)
{
	struct compare_change change;
	size_t i, j;

	for (i = 0; i < comparison->nr; i++)
		for (j = 0; j < sizeof(judged) / sizeof(*judged); j++) {
			change = compare_change(comparison, comparison->rows[i], judged[j]);
			if (comparison->rows[i]->runs[SIDE_A] && change.of[SIDE_A].median)
				return true;
		}
	return false;
}

size_t compare_each_slower(const struct comparison *comparison, double percent, slower_fn *fn,
			   void *arg)
{
	struct judging judging = { .comparison = comparison, .percent = percent, .fn = fn,
				   .arg = arg };
	enum compare_figure_id time = compare_time(comparison);
	size_t i;

	judging.whole = compare_change(comparison, &comparison->whole, time);
	if (comparison->has_whole && !(comparison->match && comparison->match->nr))
		judge(&judging, NULL, time, &judging.whole);
	for (i = 0; i < comparison->nr; i++)
		judge_row(&judging, comparison->rows[i]);
	return judging.nr;
}
