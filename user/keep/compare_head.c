// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "keep/compare_head.h"
#include "keep/compare_unlike.h"
#include "report/head.h"
#include "report/json_write.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/style.h"

#define TEXT_COLUMN 3	/* behind "A:" */

static const char *const side_names[NR_SIDES] = { "A", "B" };
static const char *const side_members[NR_SIDES] = { "a", "b" };

static uint64_t lost_of(const struct comparison *comparison, int side)
{
	uint64_t lost = 0;
	size_t i;

	for (i = 0; i < comparison->nr_runs[side]; i++)
		lost += comparison->runs[side][i].lost;
	return lost;
}

uint64_t compare_lost(const struct comparison *comparison)
{
	return lost_of(comparison, SIDE_A) + lost_of(comparison, SIDE_B);
}

/* Returns the names of the files of a side, which the caller frees. */
static char *paths_of(const struct comparison *comparison, int side)
{
	char *text = mem_string(""), *longer;
	size_t i;

	for (i = 0; i < comparison->nr_runs[side]; i++) {
		longer = mem_format("%s%s%s", text, i ? ", " : "", comparison->runs[side][i].path);
		free(text);
		text = longer;
	}
	return text;
}

char *compare_title(const struct comparison *comparison)
{
	char *a = paths_of(comparison, SIDE_A), *b = paths_of(comparison, SIDE_B), *title;

	title = mem_format("ktrace diff: A is %s, B is %s%s", a, b, !comparison->has_shares ? "" :
			   "; all samples of a side are one second");
	free(a);
	free(b);
	return title;
}

/* --- on the screen ------------------------------------------------------------ */

/* Takes text. */
static void put_text(FILE *out, const char *before, char *text)
{
	out_put(out, "%s", before);
	out_words(out, text, strlen(before), TEXT_COLUMN, style_get()->columns);
	free(text);
}

/* Returns the length of a run in seconds, or 0. */
static double window_of(const struct compare_run *run)
{
	struct json_object *value;
	double seconds;

	if (!json_object_object_get_ex(run->head, "window_s", &value))
		return 0;
	seconds = json_object_get_double(value);
	return seconds > 0 && seconds < 1e12 ? seconds : 0;
}

/* Returns ", 1.000 s" or ", 1.000 s to 1.200 s", which the caller frees. */
static char *windows_of(const struct comparison *comparison, int side)
{
	double min = 0, max = 0, one;
	size_t i;

	for (i = 0; i < comparison->nr_runs[side]; i++) {
		one = window_of(&comparison->runs[side][i]);
		min = !i || one < min ? one : min;
		max = one > max ? one : max;
	}
	return min < max ? mem_format(", %.3f s to %.3f s", min, max) : mem_format(", %.3f s", max);
}

static void put_side(FILE *out, const struct comparison *comparison, int side)
{
	char *paths = paths_of(comparison, side), *windows = windows_of(comparison, side);
	char *command = unlike_command(&comparison->runs[side][0]);
	char *before = mem_format("%s:", side_names[side]);
	size_t nr = comparison->nr_runs[side];

	put_text(out, before, nr > 1 ? mem_format("%zu runs, %s%s: %s", nr, paths, windows, command) :
		 mem_format("%s%s: %s", paths, windows, command));
	free(before);
	free(command);
	free(windows);
	free(paths);
}

static void put_difference(void *arg, const char *what, const char *a, const char *b)
{
	put_text(arg, "--", mem_format("The %s differ: %s (A), %s (B).", what, a, b));
}

static void put_losses(FILE *out, const struct comparison *comparison)
{
	int side;

	for (side = 0; side < NR_SIDES; side++)
		if (lost_of(comparison, side))
			put_text(out, "--", mem_format("%s has lost %llu events: its calls and times are at least these.",
						       side_names[side],
						       (unsigned long long)lost_of(comparison, side)));
}

/* Rows of --by include idle samples. */
static const char *shares_of(const struct comparison *comparison)
{
	return json_object_object_get_ex(comparison->runs[SIDE_A][0].head, "by", NULL) ?
	       "all samples" : "the samples that were not idle";
}

static void put_shares(FILE *out, const struct comparison *comparison)
{
	if (comparison->has_shares)
		put_text(out, "--", mem_format("Figures are shares of %s: %llu in A, %llu in B. A share p of n samples is known within about 2 * sqrt(p * (1 - p) / n).",
					       shares_of(comparison),
					       (unsigned long long)comparison->nr_samples[SIDE_A],
					       (unsigned long long)comparison->nr_samples[SIDE_B]));
}

static size_t nr_tested(const struct comparison *comparison)
{
	enum compare_figure_id id = compare_time(comparison);
	size_t nr = 0, i;

	for (i = 0; i < comparison->nr; i++)
		nr += compare_change(comparison, comparison->rows[i], id).p <= 1;
	return nr;
}

static void put_test(FILE *out, const struct comparison *comparison)
{
	size_t a = comparison->nr_runs[SIDE_A], b = comparison->nr_runs[SIDE_B], nr;

	if (a > 1 || b > 1)
		put_text(out, "--", mem_string("Figures are medians; +- is half of the range from the smallest to the largest."));
	if (!compare_is_tested(comparison)) {
		put_text(out, "--", mem_string("There is no test of significance: it needs several runs on each side."));
		return;
	}
	if (!compare_is_decisive(comparison)) {
		put_text(out, "--", mem_format("No change can be significant: the smallest p of %zu and %zu runs is %.3g, and 4 runs on each side have 0.0286.",
					       a, b, spread_least(a, b)));
		return;
	}
	nr = nr_tested(comparison);
	put_text(out, "--", mem_format("*: p < %.2f, by the exact Mann-Whitney U test (the smallest p is %.3g). Of %zu tested rows without any change, about %zu would have this mark by chance.",
				       COMPARE_P, spread_least(a, b), nr, (size_t)(COMPARE_P * nr + 0.999)));
}

void compare_head_print(FILE *out, const struct comparison *comparison)
{
	put_side(out, comparison, SIDE_A);
	put_side(out, comparison, SIDE_B);
	unlike_each(comparison, put_difference, out);
	put_losses(out, comparison);
	put_shares(out, comparison);
	put_test(out, comparison);
	fputs("\n", out);
}

/* --- JSON --------------------------------------------------------------------- */

static struct json_object *side_json(const struct comparison *comparison, int side)
{
	struct json_object *to = json_object_new_object(), *list = json_object_new_array();
	char *command = unlike_command(&comparison->runs[side][0]);
	size_t i;

	for (i = 0; i < comparison->nr_runs[side]; i++)
		json_object_array_add(list, json_object_new_string(comparison->runs[side][i].path));
	json_add(to, "files", list);
	json_add_text(to, "command", command);
	json_add_u64(to, "lost", lost_of(comparison, side));
	free(command);
	return to;
}

static void add_difference(void *arg, const char *what, const char *a, const char *b)
{
	struct json_object *to = json_object_new_object();

	json_add_text(to, "what", what);
	json_add_text(to, "a", a);
	json_add_text(to, "b", b);
	json_object_array_add(arg, to);
}

static struct json_object *test_json(const struct comparison *comparison)
{
	struct json_object *to = json_object_new_object();

	json_add_text(to, "name", "Mann-Whitney U, exact, two-sided");
	json_add_real(to, "smallest_p", "%.9g", spread_least(comparison->nr_runs[SIDE_A],
							     comparison->nr_runs[SIDE_B]));
	json_add_real(to, "significant_below_p", "%.9g", COMPARE_P);
	return to;
}

struct json_object *compare_head_json(const struct comparison *comparison)
{
	struct json_object *to = head_json(NULL), *differences = json_object_new_array();
	int side;

	head_add_lost(to, compare_lost(comparison));
	for (side = 0; side < NR_SIDES; side++)
		json_add(to, side_members[side], side_json(comparison, side));
	unlike_each(comparison, add_difference, differences);
	json_add(to, "differences", differences);
	if (compare_is_tested(comparison))
		json_add(to, "test", test_json(comparison));
	return to;
}
