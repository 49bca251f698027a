// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "keep/compare.h"
#include "util/hash.h"
#include "util/mem.h"

#define FIGURE_OF(id, ...) [COMPARE_##id] = { .figure = FIG_##id, __VA_ARGS__ },
const struct compare_figure compare_figures[NR_COMPARED] = { COMPARE_FIGURES(FIGURE_OF) };

#define MARK_TEXT(id, text) [COMPARE_MARK_##id] = text,
const char *const compare_marks[NR_COMPARE_MARKS] = { COMPARE_MARKS(MARK_TEXT) };

struct compare_found {
	struct compare_row *row;
	UT_hash_handle hh;	/* by row->key */
};

/* --- rows --------------------------------------------------------------------- */

struct compare_row *compare_row(struct comparison *comparison, const char *key, bool *is_new)
{
	struct compare_found *found;

	HASH_FIND_STR(comparison->found, key, found);
	if (is_new)
		*is_new = !found;
	if (found)
		return found->row;
	found = mem_alloc(sizeof(*found));
	found->row = mem_alloc(sizeof(*found->row));
	found->row->key = mem_string(key);
	HASH_ADD_KEYPTR(hh, comparison->found, found->row->key, strlen(key), found);
	comparison->rows = mem_grow(comparison->rows, comparison->nr, sizeof(*comparison->rows));
	comparison->rows[comparison->nr++] = found->row;
	return found->row;
}

static uint64_t sum_of(uint64_t x, uint64_t y)
{
	return x + y < x ? UINT64_MAX : x + y;
}

/* Most comparisons have one run on each side. */
static uint64_t *value_at(struct compare_row *row, size_t side, size_t run,
			  enum compare_figure_id id)
{
	size_t nr = row->nr_values[side];

	if (run >= nr) {
		row->values[side] = mem_resize(row->values[side],
					       (run + 1) * sizeof(*row->values[side]));
		memset(row->values[side] + nr, 0, (run + 1 - nr) * sizeof(*row->values[side]));
		row->nr_values[side] = run + 1;
	}
	return &row->values[side][run][id];
}

void compare_drop_values(struct compare_row *row)
{
	free(row->values[SIDE_A]);
	free(row->values[SIDE_B]);
	memset(row->values, 0, sizeof(row->values));
	memset(row->nr_values, 0, sizeof(row->nr_values));
}

void compare_count(struct compare_row *row, enum compare_side side, size_t run,
		   enum compare_figure_id id, uint64_t value)
{
	uint64_t *at = value_at(row, side, run, id);

	if (compare_figures[id].is_sum)
		*at = sum_of(*at, value);
	else
		*at = value;
	row->has[side][id] |= 1U << run;
}

static void free_row(struct compare_row *row)
{
	free(row->key);
	free(row->label);
	free(row->name);
	json_object_put(row->keys);
	compare_drop_values(row);
	free(row);
}

static void forget(struct comparison *comparison)
{
	struct compare_found *found, *next;

	HASH_ITER(hh, comparison->found, found, next) {
		HASH_DEL(comparison->found, found);
		free(found);
	}
}

void compare_free(struct comparison *comparison)
{
	struct compare_run *run;
	size_t i, side;

	forget(comparison);
	for (i = 0; i < comparison->nr; i++)
		free_row(comparison->rows[i]);
	free(comparison->rows);
	for (side = 0; side < NR_SIDES; side++) {
		for (i = 0; i < comparison->nr_runs[side]; i++) {
			run = &comparison->runs[side][i];
			free(run->path);
			json_object_put(run->head);
		}
	}
	compare_drop_values(&comparison->whole);
	paths_free(&comparison->paths);
	memset(comparison, 0, sizeof(*comparison));
}

/* --- after the last document --------------------------------------------------- */

/* A row that is missing in a run was not called there: its sums are 0. */
static void fill_row(const struct comparison *comparison, struct compare_row *row)
{
	int side, id;

	for (side = 0; side < NR_SIDES; side++)
		for (id = 0; id < NR_COMPARED; id++)
			if (compare_figures[id].is_sum && row->has[side][id])
				row->has[side][id] = (1U << comparison->nr_runs[side]) - 1;
}

/* Own times do not contain each other; totals do, if there are own times. */
static void add_to_whole(struct comparison *comparison, const struct compare_row *row)
{
	enum compare_figure_id id = compare_time(comparison);
	size_t side, run;

	for (side = 0; side < NR_SIDES; side++)
		for (run = 0; run < comparison->nr_runs[side]; run++)
			compare_count(&comparison->whole, side, run, id,
				      compare_value(row, side, run, id));
}

static uint64_t mean(uint64_t sum, size_t nr)
{
	return nr ? sum / nr + (sum % nr + nr / 2) / nr : 0;
}

/* Medians do not add up to that of their caller: a path has the mean of the runs. */
static void settle_paths(struct comparison *comparison)
{
	struct paths *paths = &comparison->paths;
	struct path_node *node;

	paths->is_comparison = true;
	for (node = paths->nodes; node < paths->nodes + paths->nr; node++) {
		node->calls = mean(node->calls, comparison->nr_runs[SIDE_B]);
		node->self_ns = mean(node->self_ns, comparison->nr_runs[SIDE_B]);
		node->before.calls = mean(node->before.calls, comparison->nr_runs[SIDE_A]);
		node->before.self_ns = mean(node->before.self_ns, comparison->nr_runs[SIDE_A]);
	}
	paths_settle(paths);
}

static bool is_chosen(const struct comparison *comparison, const struct compare_row *row)
{
	return !comparison->match || !comparison->match->nr ||
	       match_name(comparison->match, row->name);
}

void compare_settle(struct comparison *comparison)
{
	struct compare_row *row;
	size_t i, id, nr = 0;

	forget(comparison);
	for (i = 0; i < comparison->nr; i++)
		for (id = 0; id < NR_COMPARED; id++)
			comparison->has_figure[id] |= comparison->rows[i]->has[SIDE_A][id] ||
						      comparison->rows[i]->has[SIDE_B][id];
	for (i = 0; i < comparison->nr; i++) {
		row = comparison->rows[i];
		fill_row(comparison, row);
		add_to_whole(comparison, row);
		if (is_chosen(comparison, row))
			comparison->rows[nr++] = row;
		else
			free_row(row);
	}
	comparison->nr = nr;
	if (comparison->has_paths)
		settle_paths(comparison);
}

enum compare_figure_id compare_time(const struct comparison *comparison)
{
	if (comparison->has_shares)
		return comparison->has_figure[COMPARE_SELF_OF_ALL] ? COMPARE_SELF_OF_ALL :
		       COMPARE_TOTAL_OF_ALL;
	return comparison->has_figure[COMPARE_SELF] ? COMPARE_SELF :
	       comparison->has_figure[COMPARE_TOTAL] ? COMPARE_TOTAL : COMPARE_CALLS;
}

/* --- changes ------------------------------------------------------------------ */

bool compare_is_tested(const struct comparison *comparison)
{
	return comparison->nr_runs[SIDE_A] > 1 && comparison->nr_runs[SIDE_B] > 1;
}

bool compare_is_decisive(const struct comparison *comparison)
{
	return compare_is_tested(comparison) &&
	       spread_least(comparison->nr_runs[SIDE_A], comparison->nr_runs[SIDE_B]) < COMPARE_P;
}

/* Copies the values of the runs that have the figure. */
static size_t take_values(uint64_t *values, const struct compare_row *row, size_t side,
			  enum compare_figure_id id)
{
	size_t nr = 0, run;

	for (run = 0; run < SPREAD_MOST; run++)
		if (row->has[side][id] >> run & 1)
			values[nr++] = compare_value(row, side, run, id);
	return nr;
}

/* A side without the row has spent no time in it. */
static size_t add_nothing(uint64_t *values, const struct comparison *comparison, size_t side)
{
	memset(values, 0, comparison->nr_runs[side] * sizeof(*values));
	return comparison->nr_runs[side];
}

struct compare_change compare_change(const struct comparison *comparison,
				     const struct compare_row *row, enum compare_figure_id id)
{
	struct compare_change change = { .p = 2 };
	uint64_t values[NR_SIDES][SPREAD_MOST], a, b;
	size_t nr[NR_SIDES], side;

	for (side = 0; side < NR_SIDES; side++) {
		nr[side] = take_values(values[side], row, side, id);
		if (!nr[side] && compare_figures[id].is_sum && row->has[!side][id])
			nr[side] = add_nothing(values[side], comparison, side);
		change.has[side] = nr[side];
		if (nr[side])
			change.of[side] = spread_of(values[side], nr[side]);
	}
	change.is_known = change.has[SIDE_A] && change.has[SIDE_B];
	if (!change.is_known)
		return change;
	a = change.of[SIDE_A].median;
	b = change.of[SIDE_B].median;
	change.is_less = b < a;
	change.by = b < a ? a - b : b - a;
	change.has_percent = a;
	change.percent = a ? 100 * ((double)b - (double)a) / (double)a : 0;
	if (nr[SIDE_A] > 1 && nr[SIDE_B] > 1)
		change.p = spread_test(values[SIDE_A], nr[SIDE_A], values[SIDE_B], nr[SIDE_B]);
	return change;
}

/* The square of the standard error of a share, in square millionths. */
static double error_of(uint64_t share, uint64_t nr_samples)
{
	return nr_samples ? (double)share * ((double)COMPARE_ALL - (double)share) / (double)nr_samples : 0;
}

bool compare_is_chance(const struct comparison *comparison, const struct compare_change *change)
{
	double by = change->by;

	return by * by <= 4 * (error_of(change->of[SIDE_A].median, comparison->nr_samples[SIDE_A]) +
			       error_of(change->of[SIDE_B].median, comparison->nr_samples[SIDE_B]));
}

const char *compare_where(const struct compare_row *row)
{
	return !row->runs[SIDE_B] ? "a" : !row->runs[SIDE_A] ? "b" : "both";
}

/* --- order -------------------------------------------------------------------- */

struct ranked {
	struct compare_row *row;
	uint64_t by;
};

static int by_change(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	int order;

	if (x->by != y->by)
		return x->by < y->by ? 1 : -1;
	order = strcmp(x->row->label, y->row->label);
	return order ? order : strcmp(x->row->key, y->row->key);
}

void compare_sort(struct comparison *comparison, enum compare_figure_id id)
{
	struct ranked *ranked = mem_alloc((comparison->nr + 1) * sizeof(*ranked));
	size_t i;

	for (i = 0; i < comparison->nr; i++) {
		ranked[i].row = comparison->rows[i];
		if (id < NR_COMPARED)
			ranked[i].by = compare_change(comparison, comparison->rows[i], id).by;
	}
	qsort(ranked, comparison->nr, sizeof(*ranked), by_change);
	for (i = 0; i < comparison->nr; i++)
		comparison->rows[i] = ranked[i].row;
	free(ranked);
}
