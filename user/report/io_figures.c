// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include <json-c/json.h>

#include "report/head.h"
#include "report/io_figures.h"
#include "report/json.h"
#include "report/json_write.h"
#include "report/layout.h"
#include "report/sched_table.h"
#include "session/session.h"
#include "util/mem.h"
#include "util/out.h"

enum io_kind io_kind_of(enum io_layer layer)
{
	switch (layer) {
	case IO_SYSCALL:
		return IO_KIND_SYSCALLS;
	case IO_SCHED:
		return IO_KIND_SCHED;
	case IO_BLOCK:
		return IO_KIND_BLOCK;
	default:
		return IO_KIND_FUNCTIONS;
	}
}

/*
 * Returns the functions of a layer that consists of functions. The caller frees its rows, but not
 * what they point to.
 */
static struct table functions_of(const struct io_figures *figures, enum io_layer layer)
{
	struct table some = figures->functions;
	const struct row *row;
	uint64_t func;

	some.nr = 0;
	some.rows = mem_alloc((figures->functions.nr + 1) * sizeof(*some.rows));
	for (row = figures->functions.rows; row < figures->functions.rows + figures->functions.nr;
	     row++) {
		func = row->keys->number;
		if (func < figures->layers->plan.nr && figures->layers->layer_of[func] == layer)
			some.rows[some.nr++] = *row;
	}
	return some;
}

/* --- reading ---------------------------------------------------------------- */

static bool is_io(const struct row *call)
{
	return io_is_syscall(call->keys[SYSCALLS_NAME].text);
}

static int read_syscalls(struct io_figures *figures, struct ktr *ktr, uint32_t read_flags)
{
	struct syscalls *syscalls = &figures->syscalls;
	int error = syscalls_read(syscalls, ktr, figures->sessions[IO_KIND_SYSCALLS], read_flags);

	syscalls->calls.flags |= SYSCALLS_WIDE;
	table_keep(&syscalls->calls, is_io);
	syscalls_sort(syscalls, "total");
	return error;
}

static int read_functions(struct io_figures *figures, struct ktr *ktr, uint32_t read_flags)
{
	struct table *functions = &figures->functions;
	int error = functions_read(functions, ktr, figures->sessions[IO_KIND_FUNCTIONS]->id, read_flags,
			      &figures->layers->plan.names);

	functions->flags = FUNCTIONS_KERNEL;
	functions_sort(functions, "total");
	return error;
}

int io_figures_read(struct io_figures *figures, struct ktr *ktr, uint32_t read_flags)
{
	const struct ktr_session *const *of = figures->sessions;
	int error = 0;

	if (of[IO_KIND_SYSCALLS])
		error = read_syscalls(figures, ktr, read_flags);
	if (!error && of[IO_KIND_FUNCTIONS])
		error = read_functions(figures, ktr, read_flags);
	if (!error && of[IO_KIND_SCHED])
		error = sched_read(&figures->sched, ktr, of[IO_KIND_SCHED], read_flags);
	figures->sched.flags |= SCHED_WIDE;
	table_sort(&figures->sched, "blocked");
	if (!error && of[IO_KIND_BLOCK])
		error = io_read(&figures->block, ktr, of[IO_KIND_BLOCK]->id, read_flags);
	figures->syscalls.calls.duration_ns = figures->duration_ns;
	figures->functions.duration_ns = figures->duration_ns;
	figures->block.duration_ns = figures->duration_ns;
	figures->block.has_hists = figures->has_hists;
	return error;
}

void io_figures_free(struct io_figures *figures)
{
	syscalls_free(&figures->syscalls);
	table_free(&figures->functions);
	table_free(&figures->sched);
	table_free(&figures->block);
}

/* --- printing --------------------------------------------------------------- */

static void print_functions(FILE *out, const struct io_figures *figures, enum io_layer layer)
{
	struct table some = functions_of(figures, layer);

	functions_print(out, &some);
	free(some.rows);
}

static void print_layer(FILE *out, const struct io_figures *figures, enum io_layer layer)
{
	switch (io_kind_of(layer)) {
	case IO_KIND_SYSCALLS:
		syscalls_print(out, &figures->syscalls);
		break;
	case IO_KIND_SCHED:
		sched_print(out, &figures->sched);
		break;
	case IO_KIND_BLOCK:
		table_print(out, &figures->block);
		break;
	default:
		print_functions(out, figures, layer);
	}
}

void io_figures_print(FILE *out, const struct io_figures *figures, int hist)
{
	static const char *const titles[IO_NR_LAYERS] = {
		[IO_SYSCALL] = "syscall: calls that move data or wait until it is on disk",
		[IO_FS] = "fs: functions of file systems, each with the functions that it calls",
		[IO_SCHED] = "sched: threads that ran, and threads that waited",
		[IO_BLOCK] = "block: disk requests",
		[IO_NVME] = "nvme: the driver's functions",
		[IO_SCSI] = "scsi: the driver's functions",
		[IO_VIRTIO] = "virtio: the drivers' functions",
	};
	const bool *is_on = figures->layers->is_on;
	bool is_next = false;
	int layer, nr = 0;

	for (layer = 0; layer < IO_NR_LAYERS; layer++)
		nr += is_on[layer];
	for (layer = 0; layer < IO_NR_LAYERS; layer++) {
		if (!is_on[layer])
			continue;
		if (nr > 1)
			out_put(out, is_next ? "\n%s\n" : "%s\n", titles[layer]);
		is_next = true;
		print_layer(out, figures, layer);
		if (layer == IO_BLOCK && hist >= 0)
			io_print_hists(out, &figures->block, hist);
	}
}

/* --- JSON and rows ---------------------------------------------------------- */

/* Calls fn with the table of a layer. */
static void with_table(const struct io_figures *figures, enum io_layer layer,
		       void (*fn)(void *arg, const struct table *table), void *arg)
{
	struct table some;

	switch (io_kind_of(layer)) {
	case IO_KIND_SYSCALLS:
		fn(arg, &figures->syscalls.calls);
		break;
	case IO_KIND_SCHED:
		fn(arg, &figures->sched);
		break;
	case IO_KIND_BLOCK:
		fn(arg, &figures->block);
		break;
	default:
		some = functions_of(figures, layer);
		fn(arg, &some);
		free(some.rows);
	}
}

static void add_rows(void *to, const struct table *table)
{
	json_add_table(to, "rows", table);
}

/* Returns the rows of a layer. The scheduler layer also has the sum of all threads. */
static struct json_object *layer_of(const struct io_figures *figures, enum io_layer layer)
{
	struct json_object *to = json_object_new_object();

	json_add_text(to, "layer", io_layer_name(layer));
	with_table(figures, layer, add_rows, to);
	return to;
}

void io_figures_each(const struct io_figures *figures,
		     void (*fn)(void *arg, const struct table *table), void *arg)
{
	int layer;

	for (layer = 0; layer < IO_NR_LAYERS; layer++)
		if (figures->layers->is_on[layer])
			with_table(figures, layer, fn, arg);
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
