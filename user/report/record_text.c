// SPDX-License-Identifier: GPL-2.0
/* Single system calls, requests, calls, periods, faults and samples as lines of text. */
#include <stdlib.h>
#include <string.h>

#include "report/number_names.h"
#include "report/record.h"
#include "report/stack_frames.h"
#include "util/fmt.h"
#include "util/out.h"
#include "util/plain.h"
#include "util/style.h"

#define COLUMN_LEN (STYLE_MOMENT_LEN + FMT_LEN)

static const char *column_text(char text[COLUMN_LEN], const struct field *field,
			       const struct record *record, uint64_t start_ns)
{
	uint64_t number = field_number(field, record);
	const char *chars;
	size_t len;

	if (field->kind == FIELD_TIME)
		return style_moment(text, number, start_ns, 6);
	if (field->unit)
		return fmt_duration(text, number);
	if (field->kind == FIELD_CHARS) {
		chars = field_text(field, record, &len);
		snprintf(text, COLUMN_LEN, "%.*s", len ? (int)len : 1, len ? chars : "-");
	} else {
		snprintf(text, COLUMN_LEN, "%llu", (unsigned long long)number);
	}
	return text;
}

/* Prints the columns that all lines have. Returns how wide they are. */
static size_t print_columns(FILE *out, const struct record *record, uint64_t start_ns)
{
	const struct field *field = record->kind->fields, *end = field + record->kind->nr;
	size_t at = 0, columns, width;
	char text[COLUMN_LEN];
	const char *shown;
	int column;

	for (; field < end; field++) {
		if (!field->column)
			continue;
		column = field->kind == FIELD_TIME ? style_moment_width(6) : field->column;
		shown = column_text(text, field, record, start_ns);
		out_put(out, "%*s ", column, shown);
		columns = plain_columns(shown, strlen(shown));
		width = abs(column);
		at += (columns > width ? columns : width) + 1;
	}
	fputc(' ', out);
	return at + 1;
}

static void print_call(FILE *out, const struct record *record)
{
	char name[ERRNO_NAME_LEN];

	out_put(out, "%s", record->name);
	if (record->error)
		out_put(out, " = -%s", errno_text(name, record->error));
	else if (record->call.ret != KTRACE_RESULT_NONE)
		out_put(out, " = %lld", (long long)record->call.ret);
	fputc('\n', out);
}

/* "write 0x7f3a51c20000", with the error if there is one */
static void print_fault(FILE *out, const struct record *record)
{
	char name[ERRNO_NAME_LEN];

	out_put(out, "%s %s", record->name, record->path);
	if (record->error)
		out_put(out, " = -%s", errno_text(name, record->error));
	fputc('\n', out);
}

void record_print(FILE *out, const struct record *record, uint64_t start_ns)
{
	size_t columns = print_columns(out, record, start_ns);

	if (record->event.id == EVENT_SYSCALL)
		syscall_event_print(out, record);
	else if (record->event.id == EVENT_REQUEST)
		io_event_print(out, record, columns);
	else if (record->event.id == EVENT_CALL)
		print_call(out, record);
	else if (record->event.id == EVENT_FAULT)
		print_fault(out, record);
	else
		out_put(out, "%s\n", record->name);
	if (record->event.has_stack)
		stack_print(out, record->stack, record->first);
}
