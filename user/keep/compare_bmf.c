// SPDX-License-Identifier: GPL-2.0
/*
 * The Bencher Metric Format: names with measures, each a value with bounds. Side B is written: a
 * program that keeps such metrics compares them with older ones itself.
 */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "keep/compare_show.h"
#include "report/json_write.h"

#define MOST_NAME 1024	/* bytes that the format allows */

static void add_measure(struct json_object *to, const char *name,
			const struct compare_change *value, const struct compare_change *lower,
			const struct compare_change *upper)
{
	struct json_object *of = json_object_new_object();

	json_add_real(of, "value", "%.0f", value->of[SIDE_B].median);
	if (lower->has[SIDE_B])
		json_add_real(of, "lower_value", "%.0f", lower->of[SIDE_B].min);
	if (upper->has[SIDE_B])
		json_add_real(of, "upper_value", "%.0f", upper->of[SIDE_B].max);
	json_add(to, name, of);
}

/* With one run, the bounds are the shortest and the longest call, otherwise those of the means. */
static void add_latency(struct json_object *to, const struct comparison *comparison,
			const struct compare_row *row)
{
	struct compare_change avg = compare_change(comparison, row, COMPARE_AVG), min, max;

	if (!avg.has[SIDE_B])
		return;
	min = compare_change(comparison, row, COMPARE_MIN);
	max = compare_change(comparison, row, COMPARE_MAX);
	if (comparison->nr_runs[SIDE_B] > 1)
		add_measure(to, "latency", &avg, &avg, &avg);
	else
		add_measure(to, "latency", &avg, &min, &max);
}

/* Millionths, as all values are integers. */
static struct json_object *shares_of(const struct comparison *comparison,
				     const struct compare_row *row)
{
	struct json_object *to = json_object_new_object();
	struct compare_change change;
	enum compare_figure_id id;

	for (id = COMPARE_SELF_OF_ALL; id <= COMPARE_TOTAL_OF_ALL; id++) {
		change = compare_change(comparison, row, id);
		if (change.has[SIDE_B])
			add_measure(to, compare_figure_name(id), &change, &change, &change);
	}
	return to;
}

static struct json_object *measures_of(const struct comparison *comparison,
				       const struct compare_row *row)
{
	struct compare_change calls = compare_change(comparison, row, COMPARE_CALLS);
	struct json_object *to = json_object_new_object();

	/* A time per call needs a call. */
	if (calls.has[SIDE_B] && calls.of[SIDE_B].max)
		add_latency(to, comparison, row);
	if (calls.has[SIDE_B])
		add_measure(to, "calls", &calls, &calls, &calls);
	return to;
}

/* Longer names are cut, between characters. */
static char *name_of(const struct compare_row *row)
{
	char *name = plain_text(row->label);
	size_t len = strlen(name);

	if (len <= MOST_NAME)
		return name;
	for (len = MOST_NAME; len && (name[len] & 0xc0) == 0x80; len--)
		;
	name[len] = 0;
	return name;
}

struct json_object *compare_bmf(const struct comparison *comparison)
{
	struct json_object *document = json_object_new_object();
	const struct compare_row *row;
	char *name;
	size_t i;

	for (i = 0; i < comparison->nr; i++) {
		row = comparison->rows[i];
		if (!row->runs[SIDE_B])
			continue;
		name = name_of(row);
		json_add(document, name, comparison->has_shares ? shares_of(comparison, row) :
			 measures_of(comparison, row));
		free(name);
	}
	return document;
}
