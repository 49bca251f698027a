// SPDX-License-Identifier: GPL-2.0
/* Profiles: shares of samples, and their stacks as paths. */
#include <string.h>

#include <json-c/json.h>

#include "keep/compare_parts.h"
#include "util/clock.h"

/* --- shares ------------------------------------------------------------------- */

static const char *text_of(struct json_object *from, const char *name)
{
	struct json_object *value;

	return json_object_object_get_ex(from, name, &value) &&
	       json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

static bool is_idle(struct json_object *stack)
{
	const char *kind = text_of(stack, "kind");

	return kind && !strcmp(kind, "idle");
}

/* Idle samples are in no function. */
int compare_read_samples(struct reading *reading, struct json_object *list)
{
	static const char *const members[] = { "self_samples", "samples", "count" };
	size_t nr = json_object_array_length(list), i;
	struct json_object *from;
	uint64_t number;

	for (reading->nr = 0; reading->nr < nr; reading->nr++) {
		from = json_object_array_get_idx(list, reading->nr);
		if (!json_object_is_type(from, json_type_object) || is_idle(from))
			continue;
		for (i = 0; i < sizeof(members) / sizeof(*members); i++) {
			if (compare_read_number(reading, from, members[i], &number) < 0)
				return -1;
			if (reading->nr_samples + number < number)
				return err_set(reading->err, "%s cannot be compared: its rows have more than 2^64 samples.",
					       reading->path);
			reading->nr_samples += number;
		}
	}
	return 0;
}

uint64_t compare_share(const struct reading *reading, uint64_t nr, uint64_t whole)
{
	/* A row with more samples than there are is not from ktrace. */
	if (nr >= reading->nr_samples)
		return reading->nr_samples ? whole : 0;
	return (uint64_t)((double)nr / (double)reading->nr_samples * (double)whole + 0.5);
}

/* --- stacks ------------------------------------------------------------------- */

struct placing {
	struct reading *reading;
	uint64_t share;
	size_t path;
	struct compare_row *row;	/* of the path */
};

static void step(struct placing *placing, const char *name)
{
	struct reading *reading = placing->reading;
	struct comparison *comparison = reading->comparison;
	size_t path = paths_child(&comparison->paths, placing->path, name);
	struct compare_row *row = compare_path_row(comparison, placing->path, path, name);

	compare_count(row, reading->side, reading->run, COMPARE_SELF_OF_ALL, 0);
	compare_count(row, reading->side, reading->run, COMPARE_TOTAL_OF_ALL, placing->share);
	row->runs[reading->side] |= 1U << reading->run;
	row->marks[reading->side] |= (uint32_t)reading->has_losses << COMPARE_MARK_LOST;
	placing->path = path;
	placing->row = row;
}

/* The outermost frame first, behind a mark if its callers are missing. */
static int step_frames(struct placing *placing, struct json_object *from, const char *name,
		       const char *end)
{
	struct reading *reading = placing->reading;
	struct json_object *frames, *frame;
	size_t i;

	if (text_of(from, end))
		step(placing, text_of(from, end));
	if (!json_object_object_get_ex(from, name, &frames) ||
	    !json_object_is_type(frames, json_type_array))
		return 0;
	for (i = json_object_array_length(frames); i--;) {
		frame = json_object_array_get_idx(frames, i);
		if (!json_object_is_type(frame, json_type_string))
			return err_set(reading->err, "%s cannot be compared: a frame of stack %zu is no text.",
				       reading->path, reading->nr);
		step(placing, json_object_get_string(frame));
	}
	return 0;
}

/* As stack_table_paths() does. */
static int read_stack(struct reading *reading, struct json_object *from)
{
	struct placing placing = { .reading = reading, .path = PATHS_ROOT };
	struct paths *paths = &reading->comparison->paths;
	size_t task;
	uint64_t nr;

	if (compare_read_number(reading, from, "count", &nr) < 0)
		return -1;
	placing.share = compare_share(reading, nr, COMPARE_ALL);
	step(&placing, text_of(from, "comm") ? text_of(from, "comm") : "-");
	task = placing.path;
	if (step_frames(&placing, from, "user", "user_end") ||
	    step_frames(&placing, from, "kernel", "kernel_end"))
		return -1;
	if (placing.path == task)
		step(&placing, "[no stack]");
	compare_count(placing.row, reading->side, reading->run, COMPARE_SELF_OF_ALL, placing.share);
	/* In pictures, all samples of a side are one second. */
	if (reading->side == SIDE_B)
		paths_count(paths, placing.path, nr, compare_share(reading, nr, CLOCK_SECOND));
	else
		paths_count_before(paths, placing.path, nr, compare_share(reading, nr, CLOCK_SECOND));
	return 0;
}

int compare_read_stacks(struct reading *reading, struct json_object *stacks)
{
	size_t nr = json_object_array_length(stacks);
	struct json_object *from;

	reading->list = "stack";
	for (reading->nr = 0; reading->nr < nr; reading->nr++) {
		from = json_object_array_get_idx(stacks, reading->nr);
		if (!json_object_is_type(from, json_type_object))
			return err_set(reading->err, "%s cannot be compared: stack %zu is not an object.",
				       reading->path, reading->nr);
		if (!is_idle(from) && read_stack(reading, from))
			return -1;
	}
	return 0;
}
