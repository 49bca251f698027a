// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>
#include <stdlib.h>

#include "report/errno_names.h"
#include "report/head.h"
#include "report/io_event.h"
#include "report/io_figures.h"
#include "report/json_parts.h"
#include "report/sched_table.h"
#include "report/stack_frames.h"
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

void json_print_io(FILE *out, const struct io_figures *figures, bool is_line)
{
	struct json_object *document = head_json(NULL), *layers = json_object_new_array();
	int layer;

	add_sessions(document, figures);
	for (layer = 0; layer < IO_NR_LAYERS; layer++)
		if (figures->layers->is_on[layer])
			json_object_array_add(layers, layer_of(figures, layer));
	json_add(document, "rows", layers);
	json_write(out, document, is_line ? 0 : JSON_C_TO_STRING_PRETTY);
}

/* --- one request ------------------------------------------------------------ */

static struct json_object *stages_of(const struct ktrace_request_record *request)
{
	struct json_object *to = json_object_new_object();
	int stage;

	for (stage = 0; stage < KTRACE_REQUEST_STAGES; stage++)
		if (request->stages & 1U << stage)
			json_add_u64(to, io_stage_name(stage), request->stage_ns[stage]);
	return to;
}

void json_print_io_event(FILE *out, const struct event *event, const struct io_event *io,
			 const struct stacks *stacks)
{
	const struct ktrace_request_record *request = &io->request;
	struct json_object *to = json_event_of(event, io->comm);
	char number[DISK_NAME_LEN], name[ERRNO_NAME_LEN];

	json_add_u64(to, "pid", request->pid);
	json_add_text(to, "operation", io_op_name(io->op));
	json_add_text(to, "disk", io->disk);
	json_add_text(to, "dev", disk_number(number, request->dev));
	if (request->sector != KTRACE_SECTOR_NONE)
		json_add_u64(to, "sector", request->sector);
	json_add_u64(to, "bytes", request->bytes);
	if (request->inode)
		json_add_file(to, request->inode, request->file_dev, io->path[0] ? io->path : NULL);
	json_add_u64(to, "duration_ns", event->duration);
	json_add(to, "stages", stages_of(request));
	if (request->off_cpu_ns != KTRACE_OFF_CPU_UNKNOWN)
		json_add_u64(to, "off_cpu_ns", request->off_cpu_ns);
	if (request->error)
		json_add_text(to, "errno", errno_text(name, request->error));
	json_add_event_stack(to, event, stacks, NULL);
	json_write(out, to, 0);
}
