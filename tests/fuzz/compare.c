// SPDX-License-Identifier: GPL-2.0
/* Documents of runs: a byte that chooses side and format before each, with lines between. */
#include "fuzz.h"

#include <json-c/json.h>

#include "../../user/draw/draw.h"
#include "../../user/keep/compare.h"
#include "../../user/keep/compare_document.h"
#include "../../user/keep/compare_head.h"
#include "../../user/keep/compare_load.h"
#include "../../user/keep/compare_show.h"
#include "../../user/keep/compare_slower.h"
#include "../../user/report/json_write.h"

static void look_at(void *arg, const struct compare_row *row, enum compare_figure_id id,
		    const struct compare_change *change)
{
	(void)arg;
	must(id < NR_COMPARED && change->percent > 0);
	must(!row || (row->runs[SIDE_A] && row->runs[SIDE_B]));
}

static void check_rows(const struct comparison *comparison)
{
	struct compare_change change;
	size_t i, id, side;

	for (i = 0; i < comparison->nr; i++) {
		must(comparison->rows[i]->label && comparison->rows[i]->name);
		for (id = 0; id < NR_COMPARED; id++) {
			change = compare_change(comparison, comparison->rows[i], id);
			must(change.p > 0 && (change.p <= 1 || change.p == 2));
			for (side = 0; side < NR_SIDES; side++)
				must(change.of[side].min <= change.of[side].median &&
				     change.of[side].median <= change.of[side].max);
		}
	}
}

static void show(const struct comparison *comparison)
{
	FILE *out = open_checked();

	compare_head_print(out, comparison);
	compare_table_print(out, comparison);
	compare_csv_print(out, comparison);
	json_write(out, compare_json(comparison), 0);
	json_write(out, compare_bmf(comparison), 0);
	if (comparison->has_paths)
		format_flame.paths(out, &comparison->paths);
	fclose(out);
}

static int add(struct comparison *comparison, const char *text, size_t len)
{
	enum compare_side side = len && (*text & 1) ? SIDE_B : SIDE_A;
	struct json_object *document;
	struct err err;

	if (!len)
		return -1;
	document = compare_parse("text", text + 1, len - 1, &err);
	return document ? compare_add(comparison, side, "text", document, &err) : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct comparison comparison = { .has_paths = len && (data[0] & 2) };
	struct input input = { data, len };
	char *text = take_text(&input), *at = text, *end;
	int error = 0;

	while (!error && (end = strchr(at, '\n'))) {
		error = add(&comparison, at, end - at);
		at = end + 1;
	}
	if (!error && comparison.nr_runs[SIDE_A] && comparison.nr_runs[SIDE_B]) {
		compare_settle(&comparison);
		compare_sort(&comparison, len % (NR_COMPARED + 1));
		check_rows(&comparison);
		show(&comparison);
		compare_each_slower(&comparison, 5, look_at, NULL);
	}
	compare_free(&comparison);
	free(text);
	return 0;
}
