// SPDX-License-Identifier: GPL-2.0
/* Rows of documents. What is not known here is skipped: a document may be newer than this. */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "keep/compare_parts.h"
#include "report/json_write.h"
#include "util/mem.h"
#include "util/number.h"

/* Members that tell rows apart, in the order in which they are shown. */
static const char *const keys[] = {
	"layer", "disk", "operation", "stage", "period", "fault", "name", "function", "syscall", "abi",
	"errno", "path", "comm", "cpu", "uid", "cgroup", "mode",
};

/* Members with the number of events of a row. The last one counts if the others are 0. */
static const char *const counts[] = { "calls", "count", "requests", "entries" };

#define NR(array) (sizeof(array) / sizeof(*(array)))

/* --- numbers ------------------------------------------------------------------ */

int compare_read_number(struct reading *reading, struct json_object *from, const char *name,
			uint64_t *number)
{
	struct json_object *value;
	int64_t integer;

	*number = 0;
	if (!json_object_object_get_ex(from, name, &value))
		return 0;
	if (json_object_is_type(value, json_type_int)) {
		integer = json_object_get_int64(value);
		*number = integer;
		if (integer >= 0 && integer <= JSON_EXACT)
			return 1;
	} else if (json_object_is_type(value, json_type_string) &&
		   number_parse(json_object_get_string(value), UINT64_MAX, number)) {
		return 1;
	}
	return err_set(reading->err, "%s cannot be compared: %s of %s %zu is not an unsigned integer (above 2^53 a string of digits).",
		       reading->path, name, reading->list, reading->nr);
}

/* Reads the figure that a row has for the number of its events. */
static int read_count(struct reading *reading, struct json_object *from, uint64_t *number)
{
	int found = 0, result;
	size_t i;

	for (i = 0; i < NR(counts); i++) {
		result = compare_read_number(reading, from, counts[i], number);
		if (result < 0 || (result && *number))
			return result;
		found |= result;
	}
	return found;
}

/* --- one row ------------------------------------------------------------------ */

/* Rows of --by have no own samples. */
static int read_samples(struct reading *reading, struct json_object *from, bool is_self,
			uint64_t *number)
{
	int found = compare_read_number(reading, from, is_self ? "self_samples" : "total_samples", number);

	return found || is_self ? found : compare_read_number(reading, from, "samples", number);
}

static int count_share(struct reading *reading, struct compare_row *row, struct json_object *from,
		       enum compare_figure_id id)
{
	uint64_t number;
	int found = read_samples(reading, from, id == COMPARE_SELF_OF_ALL, &number);

	if (found > 0)
		compare_count(row, reading->side, reading->run, id,
			      compare_share(reading, number, COMPARE_ALL));
	return found < 0 ? -1 : 0;
}

static int count_figure(struct reading *reading, struct compare_row *row, struct json_object *from,
			enum compare_figure_id id)
{
	const char *name = compare_figure_name(id);
	uint64_t number;
	int found;

	if (compare_figures[id].is_share != reading->comparison->has_shares)
		return 0;
	if (compare_figures[id].is_share)
		return count_share(reading, row, from, id);
	found = id == COMPARE_CALLS ? read_count(reading, from, &number) :
		compare_read_number(reading, from, name, &number);
	if (found > 0)
		compare_count(row, reading->side, reading->run, id, number);
	return found < 0 ? -1 : 0;
}

/* The rows of several threads with one name are one row, whose percentiles are not known. */
static void unite(struct reading *reading, struct compare_row *row)
{
	uint64_t calls = compare_value(row, reading->side, reading->run, COMPARE_CALLS);
	uint64_t total = compare_value(row, reading->side, reading->run, COMPARE_TOTAL);
	int id;

	for (id = 0; id < NR_COMPARED; id++)
		if (!compare_figures[id].is_sum)
			row->has[reading->side][id] &= ~(1U << reading->run);
	row->marks[reading->side] |= 1U << COMPARE_MARK_UNITED;
	if (calls)
		compare_count(row, reading->side, reading->run, COMPARE_AVG, total / calls);
}

static bool is_true(struct json_object *from, const char *name)
{
	struct json_object *value;

	return json_object_object_get_ex(from, name, &value) && json_object_get_boolean(value);
}

static bool has_member(struct json_object *from, const char *name)
{
	struct json_object *value;

	return json_object_object_get_ex(from, name, &value);
}

static uint32_t marks_of(const struct reading *reading, struct json_object *from)
{
	return (uint32_t)reading->has_losses << COMPARE_MARK_LOST |
	       (uint32_t)has_member(from, "at_most") << COMPARE_MARK_AT_MOST |
	       (uint32_t)has_member(from, "taken_out") << COMPARE_MARK_PART |
	       (uint32_t)is_true(from, "has_blind_callees") << COMPARE_MARK_BLIND |
	       (uint32_t)has_member(from, "error") << COMPARE_MARK_FAILED;
}

int compare_count_row(struct reading *reading, struct compare_row *row, struct json_object *from)
{
	bool is_again = row->runs[reading->side] >> reading->run & 1;
	int id;

	for (id = 0; id < NR_COMPARED; id++)
		if ((compare_figures[id].is_sum || !is_again) &&
		    count_figure(reading, row, from, id))
			return -1;
	row->runs[reading->side] |= 1U << reading->run;
	row->marks[reading->side] |= marks_of(reading, from);
	if (is_again)
		unite(reading, row);
	return 0;
}

/* --- keys --------------------------------------------------------------------- */

static int add_key(struct reading *reading, struct json_object *to, struct json_object *from,
		   const char *name)
{
	struct json_object *value;

	if (!json_object_object_get_ex(from, name, &value) || has_member(to, name))
		return 0;
	if (!json_object_is_type(value, json_type_string) &&
	    !json_object_is_type(value, json_type_int))
		return err_set(reading->err, "%s cannot be compared: %s of %s %zu is neither a text nor a number.",
			       reading->path, name, reading->list, reading->nr);
	json_add(to, name, json_object_get(value));
	return 0;
}

/* Returns the members that tell a row apart, or NULL with err set. outer: those of its list. */
static struct json_object *keys_of(struct reading *reading, struct json_object *from,
				   struct json_object *outer)
{
	struct json_object *to = json_object_new_object();
	size_t i;

	for (i = 0; i < NR(keys); i++) {
		if ((outer && add_key(reading, to, outer, keys[i])) ||
		    add_key(reading, to, from, keys[i])) {
			json_object_put(to);
			return NULL;
		}
	}
	return to;
}

/* The usual ABI is not shown. */
static bool is_shown(const char *name, const char *text)
{
	return strcmp(name, "abi") || strcmp(text, "x86-64");
}

static char *label_of(struct json_object *of)
{
	char *label = mem_string(""), *longer;
	struct json_object *value;
	const char *text;
	bool is_number;
	size_t i;

	for (i = 0; i < NR(keys); i++) {
		if (!json_object_object_get_ex(of, keys[i], &value))
			continue;
		text = json_object_get_string(value);
		if (!is_shown(keys[i], text))
			continue;
		is_number = !strcmp(keys[i], "cpu") || !strcmp(keys[i], "uid");
		longer = mem_format("%s%s%s%s%s", label, *label ? " " : "",
				    is_number ? keys[i] : "", is_number ? " " : "", text);
		free(label);
		label = longer;
	}
	return label;
}

/* Returns the name that -f is compared with: that of the function, or all of the label. */
static char *name_of(struct json_object *of, const char *label)
{
	static const char *const names[] = { "name", "function", "syscall" };
	struct json_object *value;
	size_t i;

	for (i = 0; i < NR(names); i++)
		if (json_object_object_get_ex(of, names[i], &value))
			return mem_string(json_object_get_string(value));
	return mem_string(label);
}

/* Takes keys. */
static struct compare_row *row_of(struct reading *reading, struct json_object *of)
{
	struct compare_row *row;
	bool is_new;

	row = compare_row(reading->comparison,
			  json_object_to_json_string_ext(of, JSON_C_TO_STRING_PLAIN), &is_new);
	if (!is_new) {
		json_object_put(of);
		return row;
	}
	row->keys = of;
	row->label = label_of(of);
	row->name = name_of(of, row->label);
	return row;
}

/* --- lists of rows ------------------------------------------------------------ */

/* Counts the figures of an object, which may have a row's keys outside of it. */
static int read_figures(struct reading *reading, struct json_object *from,
			struct json_object *row_keys)
{
	return compare_count_row(reading, row_of(reading, row_keys), from);
}

/* Requests have their stages, and threads their periods, in objects: each is a row. */
static int read_parts(struct reading *reading, struct json_object *from,
		      struct json_object *row_keys, const char *key)
{
	struct json_object *part_keys;

	json_object_object_foreach(from, member, value) {
		if (!json_object_is_type(value, json_type_object) || !has_member(value, "total_ns"))
			continue;
		part_keys = json_object_new_object();
		json_add_text(part_keys, key, member);
		json_object_object_foreach(row_keys, outer, of) {
			if (strcmp(outer, key))
				json_add(part_keys, outer, json_object_get(of));
		}
		if (read_figures(reading, value, part_keys))
			return -1;
	}
	return 0;
}

static int read_row(struct reading *reading, struct json_object *from, struct json_object *outer);

static int read_inner(struct reading *reading, struct json_object *rows, struct json_object *outer)
{
	size_t i, nr = json_object_array_length(rows);

	for (i = 0; i < nr; i++)
		if (read_row(reading, json_object_array_get_idx(rows, i), outer))
			return -1;
	return 0;
}

static int read_object(struct reading *reading, struct json_object *from,
		       struct json_object *outer)
{
	struct json_object *row_keys = keys_of(reading, from, outer), *stages;
	int error = !row_keys;

	if (!error)
		error = read_parts(reading, from, row_keys, "period");
	if (!error && json_object_object_get_ex(from, "stages", &stages) &&
	    json_object_is_type(stages, json_type_object))
		error = read_parts(reading, stages, row_keys, "stage");
	/* Samples of events have no times. */
	if (!error && (has_member(from, "total_ns") || has_member(from, "total_samples") ||
		       has_member(from, "entries") || has_member(from, "calls")))
		return read_figures(reading, from, row_keys);
	json_object_put(row_keys);
	return error;
}

static bool is_off_cpu(struct json_object *from)
{
	struct json_object *mode;

	return json_object_object_get_ex(from, "mode", &mode) &&
	       json_object_is_type(mode, json_type_string) &&
	       !strcmp(json_object_get_string(mode), "off");
}

/* A row of layers has rows of its own. Times off the CPU are no shares of samples. */
static int read_row(struct reading *reading, struct json_object *from, struct json_object *outer)
{
	struct json_object *rows;

	if (!json_object_is_type(from, json_type_object))
		return err_set(reading->err, "%s cannot be compared: %s %zu is not an object.",
			       reading->path, reading->list, reading->nr);
	if (is_off_cpu(from))
		return 0;
	if (!outer && json_object_object_get_ex(from, "rows", &rows) &&
	    json_object_is_type(rows, json_type_array))
		return read_inner(reading, rows, from);
	return read_object(reading, from, outer);
}

int compare_read_rows(struct reading *reading, struct json_object *rows)
{
	size_t nr = json_object_array_length(rows);

	reading->list = "row";
	for (reading->nr = 0; reading->nr < nr; reading->nr++)
		if (read_row(reading, json_object_array_get_idx(rows, reading->nr), NULL))
			return -1;
	return 0;
}
