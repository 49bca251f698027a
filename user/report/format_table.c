// SPDX-License-Identifier: GPL-2.0
/* For people: tables, and records as lines above them. */
#include "report/format.h"
#include "report/record.h"

static void print_record(FILE *out, const struct record *record, uint64_t start_ns,
			 const char *others)
{
	if (record->event.id == EVENT_GAP)
		out_put(out, "%llu %s of CPU %u are missing here\n",
			(unsigned long long)record->event.duration, others, record->event.cpu);
	else
		record_print(out, record, start_ns);
}

const struct output_format format_table = {
	.name = "table",
	.kinds = FORMATS_OF_RECORDINGS "|" FORMATS_OF_REPLAYS "|" FORMATS_OF_FIGURES "|"
		 FORMATS_OF_TREES "|" FORMATS_OF_STACKS "|" FORMATS_OF_SAMPLES "|" FORMATS_OF_STATES "|" FORMATS_OF_PICTURES,
	.record = print_record,
};
