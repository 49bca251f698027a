// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>
#include <stdlib.h>

#include "report/head.h"
#include "report/io_figures.h"
#include "report/json_parts.h"
#include "report/sched_table.h"
#include "session/session.h"

/* --- layers ----------------------------------------------------------------- */

static struct json_object *functions_of(const struct io_figures *figures, enum io_layer layer)
{
	struct table some = io_functions_of(figures, layer);
	struct json_object *list = functions_json(&some);

	free(some.rows);
	return list;
}

/* Returns the rows of a layer. The scheduler layer also has the sum of all threads. */
static struct json_object *layer_of(const struct io_figures *figures, enum io_layer layer)
{
	struct json_object *to = json_object_new_object();

	json_add_text(to, "layer", io_layer_name(layer));
	switch (io_kind_of(layer)) {
	case IO_KIND_SYSCALLS:
		json_add(to, "rows", syscalls_json(&figures->syscalls));
		break;
	case IO_KIND_SCHED:
		sched_add_json(to, &figures->sched);
		break;
	case IO_KIND_BLOCK:
		json_add(to, "rows", io_json(&figures->block));
		break;
	default:
		json_add(to, "rows", functions_of(figures, layer));
	}
	return to;
}

static void add_sessions(struct json_object *to, const struct io_figures *figures)
{
	static const char *const names[IO_NR_KINDS] = {
		"syscall", "functions", "sched", "block"
	};
	struct json_object *sessions = json_object_new_object();
	uint64_t lost = 0;
	int kind;

	for (kind = 0; kind < IO_NR_KINDS; kind++) {
		if (!figures->sessions[kind])
			continue;
		lost += session_lost(&figures->sessions[kind]->counters);
		json_add(sessions, names[kind], json_session_of(figures->sessions[kind]));
	}
	head_add_lost(to, lost);
	json_add(to, "sessions", sessions);
}

struct json_object *io_document(const struct io_figures *figures)
{
	struct json_object *document = head_json(NULL), *layers = json_object_new_array();
	int layer;

	add_sessions(document, figures);
	for (layer = 0; layer < IO_NR_LAYERS; layer++)
		if (figures->layers->is_on[layer])
			json_object_array_add(layers, layer_of(figures, layer));
	json_add(document, "rows", layers);
	return document;
}
