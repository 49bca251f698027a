// SPDX-License-Identifier: GPL-2.0
/* Parts of descriptions in TSDL of CTF 1.8 (diamon.org/ctf/v1.8.3). */
#include <string.h>

#include "report/tsdl.h"
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

void tsdl_print_string(FILE *out, const char *text)
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

void tsdl_print_functions(FILE *out, const struct names *names)
{
	size_t i;

	fputs("enum function : uint32_t {\n", out);
	for (i = 0; i < names->nr; i++) {
		if (!names->texts[i])
			continue;
		fputc('\t', out);
		tsdl_print_string(out, names->texts[i]);
		fprintf(out, " = %zu,\n", i);
	}
	fputs("\t\"none\" = 0xffffffff\n};\n\n", out);
}

void tsdl_print_trace(FILE *out, uint64_t session, uint64_t cookie)
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

void tsdl_print_clock(FILE *out, const struct ktrace_clocks *clocks, const char *boot)
{
	uint64_t offset = clocks->realtime - clocks->monotonic;

	fputs("clock {\n\tname = \"monotonic\";\n", out);
	if (boot)
		fprintf(out, "\tuuid = \"%s\";\n", boot);
	fprintf(out, "\tdescription = \"CLOCK_MONOTONIC\";\n\tfreq = 1000000000;\n"
		"\toffset_s = %llu;\n\toffset = %llu;\n};\n\n"
		"typealias integer { size = 64; align = 8; signed = false; "
		"map = clock.monotonic.value; } := clock_t;\n\n",
		(unsigned long long)offset / 1000000000,
		(unsigned long long)offset % 1000000000);
}

void tsdl_print_types(FILE *out)
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
