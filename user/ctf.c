// SPDX-License-Identifier: GPL-2.0
/*
 * CTF 1.8 (diamon.org/ctf/v1.8.3): the packets are the module's own, so that what
 * is written here is only their description.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctf.h"
#include "mem.h"
#include "version.h"

struct ctf {
	char *folder;
	FILE **files;		/* by CPU */
	unsigned int nr_files;
	int error;		/* the first errno */
};

/* --- the folder --------------------------------------------------------- */

static int is_empty(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int nr = 0;

	while (dir && (entry = readdir(dir)))
		nr += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	if (dir)
		closedir(dir);
	return dir && !nr;
}

struct ctf *ctf_create(const char *folder, struct err *err)
{
	struct ctf *ctf;

	if (mkdir(folder, 0755) && !(errno == EEXIST && is_empty(folder))) {
		if (errno == EEXIST || errno == ENOTDIR)
			err_set(err, "%s exists and is not an empty folder; name a new one for the trace.",
				folder);
		else
			err_set(err, "The folder %s cannot be made: %s.", folder,
				strerror(errno));
		return NULL;
	}
	ctf = mem_alloc(sizeof(*ctf));
	ctf->folder = mem_string(folder);
	return ctf;
}

static FILE *create(struct ctf *ctf, const char *name)
{
	char *path = mem_format("%s/%s", ctf->folder, name);
	FILE *file = fopen(path, "we");

	free(path);
	return file;
}

static FILE *stream_of(struct ctf *ctf, unsigned int cpu)
{
	char name[32];

	for (; ctf->nr_files <= cpu; ctf->nr_files++)
		ctf->files = mem_grow(ctf->files, ctf->nr_files, sizeof(*ctf->files));
	if (!ctf->files[cpu]) {
		snprintf(name, sizeof(name), "stream_%u", cpu);
		ctf->files[cpu] = create(ctf, name);
	}
	return ctf->files[cpu];
}

int ctf_packet(struct ctf *ctf, unsigned int cpu, const void *packet, size_t len)
{
	FILE *file = stream_of(ctf, cpu);

	if (file && fwrite(packet, 1, len, file) == len)
		return 0;
	if (!ctf->error)
		ctf->error = errno;
	return -1;
}

static void close_file(struct ctf *ctf, FILE *file)
{
	if ((!file || fclose(file)) && !ctf->error)
		ctf->error = errno;
}

int ctf_finish(struct ctf *ctf, uint64_t session, uint64_t cookie,
	       const struct ktrace_clocks *clocks, const struct names *names)
{
	FILE *metadata = create(ctf, "metadata");
	unsigned int cpu;
	int error;

	if (metadata)
		ctf_print_metadata(metadata, session, cookie, clocks, names);
	close_file(ctf, metadata);
	for (cpu = 0; cpu < ctf->nr_files; cpu++)
		if (ctf->files[cpu])
			close_file(ctf, ctf->files[cpu]);
	error = ctf->error;
	free(ctf->files);
	free(ctf->folder);
	free(ctf);
	errno = error;
	return error ? -1 : 0;
}

/* --- the description ---------------------------------------------------- */

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
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
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
	      "\t};\n};\n\n", out);
}

static void print_formats(FILE *out, const struct value_formats *formats)
{
	size_t i;

	for (i = 0; i < VALUE_RESULT; i++)
		if (formats->of[i])
			fprintf(out, " %zu/%c", i + 1, formats->of[i]);
	if (formats->of[VALUE_RESULT])
		fprintf(out, " result/%c", formats->of[VALUE_RESULT]);
	fputc('\n', out);
}

/* TSDL has no words for it: what follows depends on the function. */
static void print_payload(FILE *out, const struct names *names)
{
	const struct value_formats *formats;
	size_t i;

	fputs("/*\n"
	      " * payload: with flags & 4 (late entry) when the call really began, ns. With\n"
	      " * flags & 32 arguments (entry) or the result (exit): a word of kinds, a byte an\n"
	      " * argument (the lowest is the first, or the result), 0 none, 1 integer, 2 string;\n"
	      " * then each value. An integer is a word. A string is a word with its length in\n"
	      " * the low byte, above it 0 whole, 1 cut, 2 NULL, 3 unreadable, and its characters,\n"
	      " * padded to whole words.\n", out);
	for (i = 0; i < names->nr; i++) {
		formats = names_formats(names, i);
		if (!formats || (!value_has_args(formats) && !formats->of[VALUE_RESULT]))
			continue;
		fprintf(out, " * function %zu:", i);
		print_formats(out, formats);
	}
	fputs(" */\n", out);
}

static void print_event(FILE *out, const char *name, int id, const char *duration)
{
	fprintf(out, "event {\n\tname = \"%s\";\n\tid = %d;\n\tstream_id = 0;\n"
		"\tfields := struct {\n"
		"\t\tenum function func;\n"
		"\t\tuint16_t depth;\n"
		"\t\tuint8_t flags;\n"
		"\t\tuint8_t nr_payload;\n%s"
		"\t\tuint64_t payload[nr_payload];\n"
		"\t};\n};\n\n", name, id, duration);
}

void ctf_print_metadata(FILE *out, uint64_t session, uint64_t cookie,
			const struct ktrace_clocks *clocks, const struct names *names)
{
	static const unsigned int sizes[] = { 8, 16, 32, 64 };
	size_t i;

	fputs("/* CTF 1.8 */\n\n", out);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		fprintf(out, "typealias integer { size = %u; align = 8; signed = false; } := uint%u_t;\n",
			sizes[i], sizes[i]);
	fputc('\n', out);
	print_trace(out, session, cookie);
	print_clock(out, clocks);
	print_functions(out, names);
	print_stream(out);
	print_payload(out, names);
	print_event(out, "entry", 1, "");
	print_event(out, "exit", 2, "\t\tuint64_t duration;\n");
	print_event(out, "task_exit", 3, "");
	print_event(out, "fork", 4, "");
	print_event(out, "exec", 5, "");
}
