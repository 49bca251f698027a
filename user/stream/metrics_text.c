// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "stream/metrics_text.h"
#include "util/mem.h"

#define NUMBER_LEN 32

static void put(FILE *out, const char *text, size_t len)
{
	fwrite_unlocked(text, 1, len, out);
}

static void put_text(FILE *out, const char *text)
{
	put(out, text, strlen(text));
}

/* --- numbers ---------------------------------------------------------------------- */

/* Puts digits before end. Returns where they begin. */
static char *digits_before(char *end, uint64_t number)
{
	do {
		*--end = '0' + number % 10;
		number /= 10;
	} while (number);
	return end;
}

static void put_number(FILE *out, uint64_t number)
{
	char text[NUMBER_LEN], *end = text + sizeof(text), *begin = digits_before(end, number);

	put(out, begin, end - begin);
}

/* Puts ns as seconds with all digits, without zeroes at the end. */
static void put_seconds(FILE *out, uint64_t ns)
{
	char digits[] = ".000000000", *end = digits + sizeof(digits) - 1;

	put_number(out, ns / 1000000000);
	digits_before(end, ns % 1000000000);
	while (end[-1] == '0')
		end--;
	if (end - digits > 1)
		put(out, digits, end - digits);
}

/*
 * The bound of a bucket is a label, so it is written as Prometheus does when it reads protobuf, and
 * from version 3 on always: the shortest form, with an exponent below 0.0001.
 */
static void bound_text(char text[NUMBER_LEN], uint64_t ns)
{
	int exponent = -9, len = snprintf(text, NUMBER_LEN, "%llu", (unsigned long long)ns);
	char digits[NUMBER_LEN];

	if (ns >= 100000) {
		snprintf(text, NUMBER_LEN, "%llu.%09llu", (unsigned long long)(ns / 1000000000),
			 (unsigned long long)(ns % 1000000000));
		for (len = strlen(text); text[len - 1] == '0'; len--)
			text[len - 1] = '\0';
		return;
	}
	strcpy(digits, text);
	exponent += len - 1;
	while (len > 1 && digits[len - 1] == '0')
		digits[--len] = '\0';
	snprintf(text, NUMBER_LEN, "%c%s%.20se-%02d", digits[0], len > 1 ? "." : "", digits + 1,
		 -exponent);
}

/* --- samples ---------------------------------------------------------------------- */

/* Returns the labels as in "{session=\"web\"", or "". The caller frees them. */
static char *labels_text(const struct series *series)
{
	const char *at = series->labels, *end = series->labels_end;
	char *text = mem_alloc(2 * (end - at) + 2), *to = text;

	while (at < end) {
		*to = to == text ? '{' : ',';
		to = stpcpy(to + 1, at);
		at += strlen(at) + 1;
		*to++ = '=';
		*to++ = '"';
		for (; *at; at++) {
			if (*at == '\\' || *at == '"' || *at == '\n')
				*to++ = '\\';
			*to++ = *at == '\n' ? 'n' : *at;
		}
		*to++ = '"';
		at++;
	}
	return text;
}

static void put_sample(FILE *out, const char *name, const char *suffix, const char *labels)
{
	put_text(out, name);
	put_text(out, suffix);
	put_text(out, labels);
	if (*labels)
		put_text(out, "} ");
	else
		put_text(out, " ");
}

static void put_bucket(FILE *out, const char *name, const char *labels, const char *bound,
		       uint64_t count)
{
	put_text(out, name);
	put_text(out, "_bucket");
	put_text(out, labels);
	put_text(out, *labels ? ",le=\"" : "{le=\"");
	put_text(out, bound);
	put_text(out, "\"} ");
	put_number(out, count);
	put_text(out, "\n");
}

/* The count is that of the buckets: calls that are counted meanwhile may be in one only. */
static void put_histogram(FILE *out, const struct series *series, const char *labels)
{
	static char bounds[FAMILY_NR_BOUNDS][NUMBER_LEN];
	const char *name = series->family->name;
	uint64_t counts[FAMILY_NR_BOUNDS], count = family_count(counts, &series->hist);
	unsigned int i;

	for (i = 0; i < FAMILY_NR_BOUNDS; i++) {
		if (!*bounds[i])
			bound_text(bounds[i], family_bound(i));
		put_bucket(out, name, labels, bounds[i], counts[i]);
	}
	put_bucket(out, name, labels, "+Inf", count);
	put_sample(out, name, "_sum", labels);
	put_seconds(out, series->value);
	put_text(out, "\n");
	put_sample(out, name, "_count", labels);
	put_number(out, count);
	put_text(out, "\n");
}

static void put_value(FILE *out, const struct series *series, const char *labels)
{
	put_sample(out, series->family->name, "", labels);
	(series->family->is_time ? put_seconds : put_number)(out, series->value);
	put_text(out, "\n");
}

static void put_head(FILE *out, const struct family *family)
{
	static const char *const types[] = {
		[FAMILY_GAUGE] = "gauge", [FAMILY_COUNTER] = "counter",
		[FAMILY_HISTOGRAM] = "histogram",
	};

	put_text(out, "# HELP ");
	put_text(out, family->name);
	put_text(out, " ");
	put_text(out, family->help);
	put_text(out, "\n# TYPE ");
	put_text(out, family->name);
	put_text(out, " ");
	put_text(out, types[family->type]);
	put_text(out, "\n");
}

void metrics_text_print(FILE *out, const struct metrics *metrics)
{
	const char *name = "";
	char *labels;
	size_t i;

	for (i = 0; i < metrics->nr; i++) {
		const struct series *series = metrics->series[i];

		if (strcmp(series->family->name, name))
			put_head(out, series->family);
		name = series->family->name;
		labels = labels_text(series);
		if (series->family->type == FAMILY_HISTOGRAM)
			put_histogram(out, series, labels);
		else
			put_value(out, series, labels);
		free(labels);
	}
}
