// SPDX-License-Identifier: GPL-2.0
/* Single requests of disks. */
#include <stdlib.h>
#include <string.h>

#include "report/errno_names.h"
#include "report/io_event.h"
#include "report/io_table.h"
#include "system/inode_names.h"
#include "system/inode_path.h"
#include "util/fmt.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/plain.h"
#include "util/style.h"

#define REST_AT	9	/* behind the moment: below the task's name */
#define NAMES_HOLD 1000000000ULL	/* ns; what is asked for again then */

void io_event_parse(struct io_event *to, const struct event *event)
{
	size_t len = event->nr_payload * sizeof(*event->payload), room = sizeof(to->request);

	memset(to, 0, sizeof(*to));
	if (len)
		memcpy(&to->request, event->payload, len < room ? len : room);
	memcpy(to->comm, to->request.comm, sizeof(to->request.comm));
	to->op = KTRACE_BLOCK_OP(event->func);
	if (to->request.dev)
		disk_number(to->disk, to->request.dev);
	else
		strcpy(to->disk, "(no disk)");
}

/* --- names ---------------------------------------------------------------- */

/* The process may have ended: then the file system is asked. */
static void find_path(struct io_names *names, const struct ktrace_request_record *request)
{
	char *path;

	names->inode = request->inode;
	names->file_dev = request->file_dev;
	names->pid = request->pid;
	names->path[0] = 0;
	if (inode_path(names->path, sizeof(names->path), request->pid, request->file_dev,
		       request->inode))
		return;
	path = inode_names_ask(request->file_dev, request->inode);
	snprintf(names->path, sizeof(names->path), "%s",
		 path && strlen(path) < sizeof(names->path) ? path : "");
	free(path);
}

void io_names_fill(struct io_names *names, struct io_event *io, uint64_t now_ns)
{
	const struct ktrace_request_record *request = &io->request;
	bool is_old = !names->looked || now_ns - names->looked > NAMES_HOLD;

	if (is_old)
		names->looked = now_ns;
	if (request->dev && (is_old || names->dev != request->dev)) {
		names->dev = request->dev;
		disk_name(names->disk, request->dev);
	}
	if (request->dev)
		strcpy(io->disk, names->disk);
	if (!request->inode)
		return;
	if (is_old || names->inode != request->inode || names->file_dev != request->file_dev ||
	    names->pid != request->pid)
		find_path(names, request);
	strcpy(io->path, names->path);
}

/* --- output --------------------------------------------------------------- */

/* Its file and its error, with commas in front. */
static char *rest_text(const struct io_event *io)
{
	const struct ktrace_request_record *request = &io->request;
	char number[DISK_NAME_LEN], name[ERRNO_NAME_LEN];
	char *file = request->inode && !io->path[0] ?
		     mem_format("inode %llu of %s", (unsigned long long)request->inode,
				disk_number(number, request->file_dev)) : mem_string(io->path);
	char *text = mem_format("%s%s%s%s", *file ? ", " : "", file, request->error ? ", " : "",
				request->error ? errno_text(name, request->error) : "");

	free(file);
	return text;
}

/* In the line of the request or, where that has no room, in one of its own. */
static void print_rest(FILE *out, const struct io_event *io, size_t at)
{
	unsigned int columns = style_get()->columns;
	char *text = rest_text(io);

	if (*text && columns && at + plain_columns(text, strlen(text)) > columns)
		out_put(out, ",\n%*s%s", style_moment_width(6) + REST_AT, "", text + 2);
	else
		out_put(out, "%s", text);
	free(text);
}

static void print_stage(FILE *out, const struct event *event, const char *name, uint64_t ns)
{
	char text[FMT_LEN];

	out_put(out, "%*s      %s %5.1f%%\n", style_moment_width(6) + 33, fmt_duration(text, ns), name,
		event->duration ? 100.0 * ns / event->duration : 0);
}

static char *what_text(const struct event *event, const struct io_event *io, uint64_t start_ns)
{
	const struct ktrace_request_record *request = &io->request;
	char moment[STYLE_MOMENT_LEN], duration[FMT_LEN], sector[32] = "";

	if (request->sector != KTRACE_SECTOR_NONE)
		snprintf(sector, sizeof(sector), ", sector %llu", (unsigned long long)request->sector);
	return mem_format("%*s %7u %-15s %8s  %s %s%s, %u bytes", style_moment_width(6),
			  style_moment(moment, event->time, start_ns, 6), event->tid,
			  io->comm[0] ? io->comm : "-", fmt_duration(duration, event->duration),
			  io_op_name(io->op), io->disk, sector, request->bytes);
}

void io_event_print(FILE *out, const struct event *event, const struct io_event *io,
		    uint64_t start_ns)
{
	const struct ktrace_request_record *request = &io->request;
	char *what = what_text(event, io, start_ns);
	int stage;

	out_put(out, "%s", what);
	print_rest(out, io, plain_columns(what, strlen(what)));
	free(what);
	fputc('\n', out);
	for (stage = 0; stage < KTRACE_REQUEST_STAGES; stage++)
		if (request->stages & 1U << stage)
			print_stage(out, event, io_stage_name(stage), request->stage_ns[stage]);
	if (request->off_cpu_ns != KTRACE_OFF_CPU_UNKNOWN)
		print_stage(out, event, "caller off CPU", request->off_cpu_ns);
}
