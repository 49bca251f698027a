// SPDX-License-Identifier: GPL-2.0
/* The description of the packets of ctf_packet.c, in TSDL of CTF 1.8 (diamon.org/ctf/v1.8.3). */
#include <string.h>

#include "report/ctf_metadata.h"
#include "report/tsdl.h"

static void print_stream(FILE *out, bool has_cpu)
{
	fputs("stream {\n\tid = 0;\n", out);
	fputs(has_cpu ? TSDL_PACKET_CONTEXT : TSDL_PACKET_CONTEXT_OF("none"), out);
	fputs("\tevent.header := struct {\n"
	      "\t\tclock_t timestamp;\n"
	      "\t\tuint32_t id;\n"
	      "\t};\n"
	      "\tevent.context := struct {\n"
	      "\t\tuint32_t tid;\n"
	      "\t\tuint32_t pid;\n"
	      "\t\tstring comm;\n"
	      "\t};\n};\n\n", out);
}

/* --- events ------------------------------------------------------------- */

static void print_field(FILE *out, const struct field *field)
{
	const char *name = field->ctf ? field->ctf : field->name;
	/* The unit of all integers is ns. */
	int len = strlen(name) - (field->unit ? strlen("_ns") : 0);

	if (field->kind == FIELD_FUNCTION)
		fprintf(out, "\t\tenum function %s;\n", name);
	else if (field->kind == FIELD_CHARS)
		fprintf(out, "\t\tstring %s;\n", name);
	else if (field->kind == FIELD_UNSIGNED || field->kind == FIELD_FLAGS)
		fprintf(out, "\t\tuint%d_t %.*s;\n", 8 * field->width, len, name);
}

static void print_value(FILE *out, const struct ctf_class *class, size_t i)
{
	char name[16] = "result";

	if (!class->is_exit)
		snprintf(name, sizeof(name), "arg%zu", i + 1);
	if (class->values[i].kind == KTRACE_VALUE_STRING)
		fprintf(out, "\t\tenum string_state %s_state;\n\t\tstring %s;\n", name, name);
	else if (class->values[i].kind)
		fprintf(out, "\t\t%s %s;\n", class->values[i].format == 'd' ? "int64_t" :
			class->values[i].format == 'x' ? "hex64_t" : "uint64_t", name);
}

/* class: of the values, or NULL. */
static void print_event(FILE *out, uint32_t id, enum event_id event, const struct ctf_class *class)
{
	const struct record_kind *kind = record_kind_of(event);
	size_t i;

	fprintf(out, "event {\n\tname = \"%s\";\n\tid = %u;\n\tstream_id = 0;\n"
		"\tfields := struct {\n", kind->name, id);
	for (i = 0; i < kind->nr; i++)
		if (!kind->fields[i].is_head)
			print_field(out, &kind->fields[i]);
	/* The record was written when the call ended or later, and has the time of writing. */
	if (id == CTF_LATE_ENTRY)
		fputs("\t\tuint64_t began;\n", out);
	for (i = 0; class && i < KTRACE_MAX_ARGS; i++)
		print_value(out, class, i);
	fputs("\t};\n};\n\n", out);
}

static void print_events(FILE *out, const struct ctf_classes *classes)
{
	const struct ctf_class *class;
	uint32_t id;

	for (id = EVENT_ENTRY; id < CTF_LATE_ENTRY; id++)
		print_event(out, id, id, NULL);
	print_event(out, CTF_LATE_ENTRY, EVENT_ENTRY, NULL);
	for (id = CTF_VALUES; id < CTF_VALUES + classes->nr; id++) {
		class = &classes->classes[id - CTF_VALUES];
		print_event(out, id, class->is_exit ? EVENT_EXIT : EVENT_ENTRY, class);
	}
}

/* --- all ---------------------------------------------------------------- */

/* Prints the states of a recorded string. */
static void print_states(FILE *out)
{
	fprintf(out, "enum string_state : uint8_t {\n"
		"\t\"whole\" = %d,\n\t\"cut\" = %d,\n\t\"null\" = %d,\n\t\"unreadable\" = %d\n"
		"};\n\n", KTRACE_STRING_WHOLE, KTRACE_STRING_CUT, KTRACE_STRING_NULL,
		KTRACE_STRING_UNREADABLE);
}

void ctf_print_metadata(FILE *out, const struct ctf_description *trace)
{
	fputs("/* CTF 1.8 */\n\n", out);
	tsdl_print_types(out);
	tsdl_print_trace(out, trace->session, trace->cookie);
	tsdl_print_clock(out, &trace->clocks, trace->boot);
	tsdl_print_functions(out, trace->names);
	print_states(out);
	print_stream(out, !trace->has_one_stream);
	print_events(out, &trace->classes);
}
