// SPDX-License-Identifier: GPL-2.0
/* The text of a single disk request. */
#include <stdlib.h>
#include <string.h>

#include "report/number_names.h"
#include "report/record.h"
#include "util/fmt.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/plain.h"
#include "util/style.h"

#define REST_AT	9	/* column after the timestamp, below the task's name */

/* A line that continues below the task's name when it is full. */
struct line {
	FILE *out;
	size_t at;
};

static void put_part(struct line *line, char *text)
{
	unsigned int columns = style_get()->columns;
	size_t len = plain_columns(text, strlen(text));

	/* Leave room for a comma that may follow. */
	if (columns && line->at + len + 3 > columns) {
		out_put(line->out, ",\n%*s%s", style_moment_width(6) + REST_AT, "", text);
		line->at = style_moment_width(6) + REST_AT + len;
	} else {
		out_put(line->out, ", %s", text);
		line->at += len + 2;
	}
	free(text);
}

static char *file_text(const struct record *record)
{
	char number[DISK_NAME_LEN];

	if (record->path)
		return mem_string(record->path);
	return mem_format("inode %llu of %s", (unsigned long long)record->request.inode,
			  disk_number(number, record->request.file_dev));
}

static void print_stage(FILE *out, const struct ktr_record *event, const char *name, uint64_t ns)
{
	char text[FMT_LEN];

	out_put(out, "%*s      %s %5.1f%%\n", style_moment_width(6) + 33, fmt_duration(text, ns), name,
		fmt_percent(ns, event->duration));
}

void io_event_print(FILE *out, const struct record *record, size_t columns)
{
	const struct ktrace_request_record *request = &record->request;
	struct line line = { out, columns + strlen(record->name) + 1 +
			     plain_columns(record->disk, strlen(record->disk)) };
	char name[ERRNO_NAME_LEN];
	int stage;

	out_put(out, "%s %s", record->name, record->disk);
	if (request->sector != KTRACE_SECTOR_NONE)
		put_part(&line, mem_format("sector %llu", (unsigned long long)request->sector));
	put_part(&line, mem_format("%u bytes", request->bytes));
	if (request->inode)
		put_part(&line, file_text(record));
	if (request->error)
		put_part(&line, mem_string(errno_text(name, request->error)));
	fputc('\n', out);
	for (stage = 0; stage < KTRACE_REQUEST_STAGES; stage++)
		if (request->stages & 1U << stage)
			print_stage(out, &record->event, io_stage_name(stage), request->stage_ns[stage]);
	if (request->off_cpu_ns != KTRACE_OFF_CPU_UNKNOWN)
		print_stage(out, &record->event, "caller off CPU", request->off_cpu_ns);
}
