// SPDX-License-Identifier: GPL-2.0
/* A document for all figures, or one on a line of its own for each record and each interval. */
#include <json-c/json.h>

#include "report/format.h"
#include "report/json_write.h"
#include "report/record.h"
#include "uapi/ktrace.h"

static void print(FILE *out, struct json_object *document, bool is_line)
{
	json_write(out, document, is_line ? 0 : JSON_C_TO_STRING_PRETTY);
}

static void print_record(FILE *out, const struct record *record, uint64_t start_ns,
			 const char *others)
{
	(void)start_ns;
	(void)others;
	record_print_json(out, record);
}

const struct output_format format_json = {
	.name = "json",
	.kinds = FORMATS_OF_RECORDINGS "|" FORMATS_OF_REPLAYS "|" FORMATS_OF_CALLS "|" FORMATS_OF_FIGURES "|" FORMATS_OF_TREES "|"
		 FORMATS_OF_STACKS "|" FORMATS_OF_SAMPLES "|" FORMATS_OF_STATES,
	.note = "with -i: one document per line",
	.note_kinds = FORMATS_OF_FIGURES "|" FORMATS_OF_TREES "|" FORMATS_OF_STACKS "|"
		      FORMATS_OF_SAMPLES,
	.is_data = true,
	.document = print,
	.record = print_record,
	.sinks = KTRACE_SINK_HIST | KTRACE_SINK_TREE,
	.has_functions = true,
};
