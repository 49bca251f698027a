// SPDX-License-Identifier: GPL-2.0
/* Words about a row that several outputs show. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keep/compare_show.h"
#include "util/mem.h"

const char *compare_percent(char text[COMPARE_PERCENT_LEN], const struct compare_change *change,
			    const struct compare_row *row)
{
	if (!change->is_known)
		return "";
	if (!row->runs[SIDE_A])
		return "new";
	if (!row->runs[SIDE_B])
		return "gone";
	if (!change->by)
		return "0.0%";
	if (!change->has_percent)
		return "from 0";
	/* Exponents keep absurd changes short. */
	snprintf(text, COMPARE_PERCENT_LEN, change->percent < 1e5 ? "%+.1f%%" : "%+.1e%%",
		 change->percent);
	return text;
}

/* Takes part. */
static void add(char **text, char *part)
{
	char *longer = mem_format("%s%s%s", *text, **text ? ", " : "", part);

	free(*text);
	free(part);
	*text = longer;
}

static unsigned int nr_bits(uint32_t bits)
{
	return __builtin_popcount(bits);
}

static void add_runs(char **text, const struct comparison *comparison,
		     const struct compare_row *row, int side)
{
	unsigned int nr = nr_bits(row->runs[side]);

	if (nr && nr < comparison->nr_runs[side])
		add(text, mem_format("%c: in %u of %zu runs", 'A' + side, nr,
				     comparison->nr_runs[side]));
}

/* Returns "A: ", "B: ", or "" if both sides have the mark. */
static const char *of_side(const struct compare_row *row, int mark)
{
	bool has_a = row->marks[SIDE_A] >> mark & 1, has_b = row->marks[SIDE_B] >> mark & 1;

	return has_a && has_b ? "" : has_a ? "A: " : "B: ";
}

char *compare_remark(const struct comparison *comparison, const struct compare_row *row)
{
	uint32_t marks = row->marks[SIDE_A] | row->marks[SIDE_B];
	char *text = mem_string("");
	int mark;

	if (!row->runs[SIDE_A] || !row->runs[SIDE_B])
		add(&text, mem_format("only in %s", row->runs[SIDE_A] ? "A" : "B"));
	add_runs(&text, comparison, row, SIDE_A);
	add_runs(&text, comparison, row, SIDE_B);
	for (mark = 0; mark < NR_COMPARE_MARKS; mark++)
		if (marks >> mark & 1)
			add(&text, mem_format("%s%s", of_side(row, mark), compare_marks[mark]));
	return text;
}
