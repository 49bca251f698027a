// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "stream/machine.h"
#include "stream/rows.h"
#include "util/clock.h"
#include "util/signals.h"

/* The rows of a document, on their way to one outlet. */
struct way {
	struct outlet *outlet;
	struct record record;
	const struct identity *identity;
	bool is_over;		/* the outlet takes no more of this document */
	uint64_t nr;		/* rows in the part */
};

static bool wait_until_free(struct outlet *outlet)
{
	uint64_t until = clock_now_ns() + CLOCK_SECOND;

	outlet_take_answers(outlet);
	while (outlet->is_busy && !outlet->is_over && clock_now_ns() < until) {
		outlets_wait(&outlet, 1, 10);
		outlet_take_answers(outlet);
		signals_look();
	}
	return !outlet->is_busy && !outlet->is_over;
}

/* Passes the part on. The next rows need its answer. */
static void pass(struct way *way)
{
	struct outlet *outlet = way->outlet;

	if (way->is_over)
		return;
	outlet->answered = NULL;
	outlet_pass(outlet, "");
	way->is_over = !wait_until_free(outlet);
	if (way->is_over)
		outlet->nr_rows_missed += way->nr;
	else
		outlet_begin(outlet);
	way->nr = 0;
}

static enum outlet_put put(struct way *way)
{
	return way->is_over ? PUT_REFUSED : outlet_put(way->outlet, &way->record, way->identity);
}

static void put_row(struct way *way)
{
	enum outlet_put result = put(way);

	if (result == PUT_FULL) {
		pass(way);
		result = put(way);
	}
	if (result == PUT_DONE || result == PUT_CUT)
		way->nr++;
	else
		way->outlet->nr_rows_missed++;
}

static void put_table(struct way *way, const char *name, struct json_object *table);

/* A row that is a table of its own, such as a layer of io, whose name is its first member. */
static void put_inner(struct way *way, const char *name, struct json_object *row,
		      struct json_object *rows)
{
	const char *layer = name;

	json_object_object_foreach(row, member, value) {
		(void)member;
		layer = json_object_get_string(value);
		break;
	}
	put_table(way, layer, rows);
	/* What else it has is a row, too. */
	json_object_get(rows);
	json_object_object_del(row, "rows");
	way->record.members = row;
	if (json_object_object_length(row) > 1)
		put_row(way);
	json_object_object_add(row, "rows", rows);
}

static void put_table(struct way *way, const char *name, struct json_object *table)
{
	size_t nr = json_object_array_length(table), i;
	struct json_object *row, *rows;

	for (i = 0; i < nr; i++) {
		way->record.name = name;
		way->record.members = row = json_object_array_get_idx(table, i);
		if (!json_object_is_type(row, json_type_object))
			continue;
		if (json_object_object_get_ex(row, "rows", &rows) &&
		    json_object_is_type(rows, json_type_array))
			put_inner(way, name, row, rows);
		else
			put_row(way);
	}
}

/* The list "rows" is the table of the command. */
static void put_document(struct way *way, struct json_object *document, const char *command)
{
	json_object_object_foreach(document, name, value) {
		if (json_object_is_type(value, json_type_array))
			put_table(way, strcmp(name, "rows") ? name : command, value);
	}
	pass(way);
}

void rows_pass(struct streamer *streamer, struct json_object *document,
	       const struct rows_window *window)
{
	struct machine *machine = machine_find();
	char *json = machine_json(machine, window->session);
	struct identity identity = {
		.boot = machine->boot, .json = json, .json_len = strlen(json),
		.realtime = clock_realtime_of(window->to),
	};
	struct way way;
	size_t i;

	identity_set_session(&identity, window->session);
	identity_set_host(&identity, machine->host);
	for (i = 0; i < streamer->nr_outlets; i++) {
		way = (struct way){
			.outlet = streamer->outlets[i], .identity = &identity,
			.record = {
				.kind = record_kind_of(EVENT_ROW),
				.event = { .id = EVENT_ROW, .time = window->to },
				.tally = { .from = window->from },
			},
		};
		way.is_over = !wait_until_free(way.outlet);
		if (!way.is_over)
			outlet_begin(way.outlet);
		put_document(&way, document, window->session);
	}
	free(json);
	machine_free(machine);
}
