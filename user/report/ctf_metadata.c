// SPDX-License-Identifier: GPL-2.0
/* The description of the packets of ctf_packet.c, in TSDL of CTF 1.8 (diamon.org/ctf/v1.8.3). */
#include <string.h>

#include "report/ctf_metadata.h"
#include "util/plain.h"
#include "version.h"

static void print_uuid(FILE *out, uint64_t session, uint64_t cookie)
{
	unsigned char bytes[16];
	int i;

	for (i = 0; i < 8; i++) {
		bytes[i] = session >> (8 * i);
		bytes[8 + i] = cookie >> (8 * i);
	}
	for (i = 0; i < 16; i++)
		fprintf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			bytes[i]);
}

static void print_string(FILE *out, const char *text)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + strlen(text);
	char escaped[PLAIN_ESCAPE_LEN];
	size_t len;

	fputc('"', out);
	for (; at < end; at += len) {
		len = plain_char_len(at, end - at);
		if (!len) {
			len = plain_escape(escaped, at, end - at);
			fprintf(out, "\\%s", escaped);
		} else if (*at == '"' || *at == '\\') {
			fprintf(out, "\\%c", *at);
		} else {
			fwrite(at, 1, len, out);
		}
	}
	fputc('"', out);
}

static void print_functions(FILE *out, const struct names *names)
{
	size_t i;

	fputs("enum function : uint32_t {\n", out);
	for (i = 0; i < names->nr; i++) {
		if (!names->texts[i])
			continue;
		fputc('\t', out);
		print_string(out, names->texts[i]);
		fprintf(out, " = %zu,\n", i);
	}
	fputs("\t\"none\" = 0xffffffff\n};\n\n", out);
}

static void print_trace(FILE *out, uint64_t session, uint64_t cookie)
{
	fputs("trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"", out);
	print_uuid(out, session, cookie);
	fputs("\";\n\tbyte_order = le;\n"
	      "\tpacket.header := struct {\n"
	      "\t\tuint32_t magic;\n"
	      "\t\tuint32_t stream_id;\n"
	      "\t\tuint8_t uuid[16];\n"
	      "\t};\n};\n\n", out);
	fprintf(out, "env {\n\ttracer_name = \"ktrace\";\n\ttracer_version = \"%s\";\n};\n\n",
		KTRACE_VERSION);
}

static void print_clock(FILE *out, const struct ktrace_clocks *clocks)
{
	uint64_t offset = clocks->realtime - clocks->monotonic;

	fprintf(out, "clock {\n\tname = \"monotonic\";\n"
		"\tdescription = \"CLOCK_MONOTONIC\";\n\tfreq = 1000000000;\n"
		"\toffset_s = %llu;\n\toffset = %llu;\n};\n\n"
		"typealias integer { size = 64; align = 8; signed = false; "
		"map = clock.monotonic.value; } := clock_t;\n\n",
		(unsigned long long)offset / 1000000000,
		(unsigned long long)offset % 1000000000);
}

static void print_stream(FILE *out)
{
	fputs("stream {\n\tid = 0;\n"
	      "\tpacket.context := struct {\n"
	      "\t\tclock_t timestamp_begin;\n"
	      "\t\tclock_t timestamp_end;\n"
	      "\t\tuint64_t content_size;\n"
	      "\t\tuint64_t packet_size;\n"
	      "\t\tuint64_t events_discarded;\n"
	      "\t\tuint64_t packet_seq_num;\n"
	      "\t\tuint32_t cpu_id;\n"
	      "\t\tuint32_t nr_records;\n"
	      "\t};\n"
	      "\tevent.header := struct {\n"
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

static void begin_event(FILE *out, const char *name, size_t id)
{
	fprintf(out, "event {\n\tname = \"%s\";\n\tid = %zu;\n\tstream_id = 0;\n"
		"\tfields := struct {\n", name, id);
}

static void end_event(FILE *out)
{
	fputs("\t};\n};\n\n", out);
}

static void print_event(FILE *out, const char *name, size_t id, const char *fields)
{
	begin_event(out, name, id);
	fputs(fields, out);
	end_event(out);
}

#define CALL "\t\tenum function func;\n\t\tuint16_t depth;\n\t\tuint8_t flags;\n"
#define DURATION "\t\tuint64_t duration;\n"

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

static void print_class(FILE *out, const struct ctf_class *class, size_t id)
{
	size_t i;

	begin_event(out, class->is_exit ? "exit" : "entry", id);
	fprintf(out, CALL "%s", class->is_exit ? DURATION : "");
	for (i = 0; i < KTRACE_MAX_ARGS; i++)
		print_value(out, class, i);
	end_event(out);
}

static void print_events(FILE *out, const struct ctf_classes *classes)
{
	size_t i;

	print_event(out, "entry", CTF_ENTRY, CALL);
	print_event(out, "exit", CTF_EXIT, CALL DURATION);
	print_event(out, "task_exit", CTF_TASK_EXIT, "");
	print_event(out, "fork", CTF_FORK, "\t\tuint32_t child_tid;\n\t\tuint32_t child_pid;\n");
	print_event(out, "exec", CTF_EXEC, "\t\tstring program;\n");
	/*
	 * The record was written when the call ended or later; the timestamp is the time of
	 * writing.
	 */
	print_event(out, "entry", CTF_LATE_ENTRY, CALL "\t\tuint64_t began;\n");
	for (i = 0; i < classes->nr; i++)
		print_class(out, &classes->classes[i], CTF_VALUES + i);
}

/* --- all ---------------------------------------------------------------- */

static void print_types(FILE *out)
{
	static const unsigned int sizes[] = { 8, 16, 32, 64 };
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		fprintf(out, "typealias integer { size = %u; align = 8; signed = false; } := uint%u_t;\n",
			sizes[i], sizes[i]);
	fputs("typealias integer { size = 64; align = 8; signed = true; } := int64_t;\n"
	      "typealias integer { size = 64; align = 8; signed = false; base = 16; } := hex64_t;\n\n",
	      out);
}

/* Prints the states of a recorded string. */
static void print_states(FILE *out)
{
	fprintf(out, "enum string_state : uint8_t {\n"
		"\t\"whole\" = %d,\n\t\"cut\" = %d,\n\t\"null\" = %d,\n\t\"unreadable\" = %d\n"
		"};\n\n", KTRACE_STRING_WHOLE, KTRACE_STRING_CUT, KTRACE_STRING_NULL,
		KTRACE_STRING_UNREADABLE);
}

void ctf_print_metadata(FILE *out, uint64_t session, uint64_t cookie,
			const struct ktrace_clocks *clocks, const struct names *names,
			const struct ctf_classes *classes)
{
	fputs("/* CTF 1.8 */\n\n", out);
	print_types(out);
	print_trace(out, session, cookie);
	print_clock(out, clocks);
	print_functions(out, names);
	print_states(out);
	print_stream(out);
	print_events(out, classes);
}
