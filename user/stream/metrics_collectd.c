// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "stream/machine.h"
#include "stream/metrics_collectd.h"
#include "util/clock.h"
#include "util/mem.h"

#define PREFIX "ktrace_"
#define LONGEST 110	/* collectd's parts of names have at most 127 bytes, with their types */

/* --- names ------------------------------------------------------------------------ */

static uint32_t hash_of(const char *text)
{
	uint32_t hash = 2166136261U;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619;
	return hash;
}

/* Shortens a text between two characters of UTF-8. */
static void shorten(char *text)
{
	char end[16];
	size_t len = LONGEST - sizeof(end);

	if (strlen(text) <= LONGEST)
		return;
	snprintf(end, sizeof(end), "~%08x", hash_of(text));
	while ((text[len] & 0xc0) == 0x80)
		len--;
	strcpy(text + len, end);
}

/* Puts a part of a name that stands in quotes, and frees it. A slash would begin the next part. */
static void put_part(FILE *out, char *text)
{
	char *at;

	shorten(text);
	for (at = text; *at; at++) {
		if (*at == '"' || *at == '\\')
			fputs_unlocked("\\", out);
		fprintf(out, "%c", *at == '/' || (unsigned char)*at < ' ' ? '_' : *at);
	}
	free(text);
}

/* Puts the values of labels behind dots, and returns the one of the session, or "". */
static const char *put_values(FILE *out, const struct series *series)
{
	const char *at = series->labels, *value, *session = "";

	for (; at < series->labels_end; at = value + strlen(value) + 1) {
		value = at + strlen(at) + 1;
		if (!strcmp(at, "session"))
			session = value;
		else
			fprintf(out, ".%s", value);
	}
	return session;
}

/* The name of the family without what all have, and without its unit. */
static int stem_len(const char *name)
{
	const char *end = name + strlen(name);

	end -= end - name > 6 && !strcmp(end - 6, "_total") ? 6 : 0;
	end -= end - name > 8 && !strncmp(end - 8, "_seconds", 8) ? 8 : 0;
	return end - name;
}

/* --- lines ------------------------------------------------------------------------ */

struct lines {
	FILE *out;
	const char *host;
};

static void put_line(const struct lines *lines, const struct series *series, const char *figure,
		     uint64_t value)
{
	const char *name = series->family->name + strlen(PREFIX), *session;
	char *instance = NULL;
	size_t len;
	FILE *out = open_memstream(&instance, &len);

	if (!out)
		return;
	fprintf(out, "%.*s%s", stem_len(name), name, figure);
	session = put_values(out, series);
	fclose(out);
	fputs_unlocked("PUTVAL \"", lines->out);
	put_part(lines->out, mem_string(lines->host));
	fputs_unlocked("/", lines->out);
	put_part(lines->out, mem_format("ktrace-%s", session));
	fprintf(lines->out, "/%s-", series->family->type == FAMILY_GAUGE ? "gauge" : "derive");
	put_part(lines->out, instance);
	fprintf(lines->out, "\" N:%llu\n", (unsigned long long)value);
}

static void put_series(const struct lines *lines, const struct series *series)
{
	const struct family *family = series->family;
	uint64_t counts[FAMILY_NR_BOUNDS];

	if (family->of == FAMILY_OF_MODULE || family->of == FAMILY_OF_SESSION)
		return;
	if (family->type == FAMILY_GAUGE) {
		put_line(lines, series, "",
			 family->is_time ? series->value / CLOCK_SECOND : series->value);
		return;
	}
	if (family->type == FAMILY_HISTOGRAM)
		put_line(lines, series, ".count", family_count(counts, &series->hist));
	put_line(lines, series, family->is_time ? ".ns" : "", series->value);
}

void metrics_collectd_print(FILE *out, const struct metrics *metrics)
{
	struct machine *machine = machine_find();
	const struct lines lines = { out, machine->host };
	size_t i;

	for (i = 0; i < metrics->nr; i++)
		put_series(&lines, metrics->series[i]);
	machine_free(machine);
}
