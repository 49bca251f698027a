// SPDX-License-Identifier: GPL-2.0
/*
 * What is generated from the description of records, and what a line of JSON costs.
 *   schema     prints docs/schema/event.json
 *   cost NR    writes NR records of each kind that run writes
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../user/report/record.h"

/* --- the schema ------------------------------------------------------------- */

#define REF(name) "{\"$ref\":\"common.json#/$defs/" name "\"}"
#define FLAG(name) "{\"type\":\"object\",\"properties\":{\"" name "\":{\"type\":\"boolean\"}}," \
	"\"required\":[\"" name "\"]}"
#define CUT "{\"type\":\"object\",\"properties\":{\"cut\":{\"type\":\"string\"}}," \
	"\"required\":[\"cut\"]}"
#define VALUE "{\"anyOf\":[" REF("s64") ",{\"type\":\"string\"},{\"type\":\"null\"}," \
	FLAG("unreadable") "," CUT "]}"

static const char *const types[] = {
	[FIELD_UNSIGNED] = REF("u64"),
	[FIELD_TIME] = REF("u64"),
	[FIELD_SIGNED] = REF("s64"),
	[FIELD_LIST] = "{\"type\":\"array\",\"items\":" REF("s64") "}",
	[FIELD_CHARS] = "{\"type\":\"string\"}",
	[FIELD_TEXT] = "{\"type\":\"string\"}",
	[FIELD_FUNCTION] = "{\"type\":\"string\"}",
	[FIELD_ERRNO] = "{\"type\":\"string\"}",
	[FIELD_DEV] = "{\"type\":\"string\"}",
	[FIELD_FLAG] = "{\"type\":\"boolean\"}",
	[FIELD_ARGS] = "{\"type\":\"array\",\"items\":" VALUE "}",
	[FIELD_RESULT] = VALUE,
	[FIELD_STRING] = "{\"type\":[\"string\",\"null\"]}",
	[FIELD_STAGES] = "{\"type\":\"object\",\"properties\":{\"q2g\":" REF("u64") ",\"g2i\":"
		REF("u64") ",\"i2d\":" REF("u64") ",\"d2c\":" REF("u64") "},\"required\":[]}",
	[FIELD_STACK] = "{\"anyOf\":[" REF("stack") ",{\"type\":\"null\"}]}",
};

static void print_kind(const struct record_kind *kind)
{
	size_t i;

	printf("{\"type\":\"object\",\"properties\":{\"schema\":{\"const\":\"" RECORD_SCHEMA "\"},"
	       "\"event\":{\"const\":\"%s\"}", kind->name);
	for (i = 0; i < kind->nr; i++)
		if (types[kind->fields[i].kind])
			printf(",\"%s\":%s", kind->fields[i].name, types[kind->fields[i].kind]);
	printf("},\"required\":[\"schema\",\"event\"");
	for (i = 0; i < kind->nr; i++)
		if (types[kind->fields[i].kind] && !kind->fields[i].is_optional)
			printf(",\"%s\"", kind->fields[i].name);
	printf("]}");
}

static void print_schema(void)
{
	unsigned int id;

	printf("{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
	       "\"title\":\"An event, a document on a line: --slow, or a stream of run and ctl read\","
	       "\"anyOf\":[");
	for (id = EVENT_GAP; id <= EVENT_PERIOD; id++) {
		printf(id ? "," : "");
		print_kind(record_kind_of(id));
	}
	printf("]}\n");
}

/* --- the cost --------------------------------------------------------------- */

static void write_records(unsigned int nr)
{
	static char *texts[] = { (char *)"std::vector<int>::push_back(int const&)" };
	static const struct names names = { .texts = texts, .nr = 1 };
	static const struct record_source source = { .names = &names };
	const uint64_t arg[] = { KTRACE_VALUE_INT, 4096 };
	struct event event = { .time = 12345678901234, .duration = 1234567, .tid = 123456, .depth = 3,
			       .payload = arg };
	FILE *out = fopen("/dev/null", "w");
	struct record record;

	for (; out && nr; nr--) {
		for (event.id = EVENT_GAP; event.id <= EVENT_EXEC; event.id++) {
			event.time += 1000;
			event.nr_payload = event.id == EVENT_ENTRY || event.id == EVENT_EXIT ? 2 : 0;
			record_parse(&record, &event, &source);
			record_print_json(out, &record);
		}
	}
	fclose(out);
}

int main(int argc, char **argv)
{
	if (argc > 2)
		write_records(atoi(argv[2]));
	else
		print_schema();
	return 0;
}
