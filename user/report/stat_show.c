// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "report/csv_text.h"
#include "report/head.h"
#include "report/json_write.h"
#include "report/stat_show.h"
#include "util/clock.h"
#include "util/fmt.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/style.h"

static const char *const sources[] = {
	[STAT_OF_MODULE] = "ktrace", [STAT_OF_KERNEL] = "kernel", [STAT_OF_PROCESSOR] = "processor",
};

static const char *state_of(const struct stat_row *row)
{
	return stat_is_counted(row) ? "counted" : row->error ? "not supported" : "not counted";
}

static bool is_scaled(const struct stat_row *row)
{
	return stat_is_counted(row) && stat_running(row) < 100;
}

/* --- the table -------------------------------------------------------------------- */

#define NUMBER_LEN 32
#define COLUMNS 80	/* of sentences */
#define INDENT 4	/* of their further lines */

/* Writes 1234567 as "1,234,567". */
static void group_digits(char text[NUMBER_LEN], uint64_t number)
{
	char digits[NUMBER_LEN];
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number), i;

	for (i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*text++ = ',';
		*text++ = digits[i];
	}
	*text = 0;
}

static void format_value(char text[NUMBER_LEN + 8], const struct stat_row *row)
{
	uint64_t value = stat_value(row);
	char whole[NUMBER_LEN];

	if (style_get()->is_raw) {
		snprintf(text, NUMBER_LEN, "%llu", (unsigned long long)value);
		return;
	}
	if (!stat_kinds[row->id].is_time) {
		group_digits(text, value);
		return;
	}
	if (value < CLOCK_SECOND / 1000) {
		fmt_duration(text, value);
		return;
	}
	value = (value + 5000) / 10000;
	group_digits(whole, value / 100);
	snprintf(text, NUMBER_LEN + 8, "%s.%02u ms", whole, (unsigned int)(value % 100));
}

/* The caller frees it. */
static char *name_of(const struct stat_row *row)
{
	const char *name = stat_kinds[row->id].name;

	return row->pmu ? mem_format("%s/%s/", row->pmu, name) : mem_string(name);
}

static void print_rate(FILE *out, double rate)
{
	static const struct { double from, by; const char *unit; } scales[] = {
		{ 1e9, 1e9, "G/s" }, { 1e6, 1e6, "M/s" }, { 1e4, 1e3, "K/s" }, { 0, 1, "/s" },
	};
	size_t i = style_get()->is_raw ? 3 : 0;
	char text[FMT_LEN];

	while (rate < scales[i].from)
		i++;
	out_put(out, "  # %8s %s", fmt_rate(text, rate / scales[i].by), scales[i].unit);
}

static void print_quotient(FILE *out, const struct stat_kind *kind, double quotient)
{
	char text[FMT_LEN];

	if (kind->quotient == STAT_PER_SECOND) {
		print_rate(out, quotient);
		return;
	}
	snprintf(text, sizeof(text), "%.*f", kind->quotient == STAT_PERCENT_OF_OTHER ? 2 : 3,
		 quotient);
	out_put(out, "  # %8s %s", text, kind->unit);
}

static void print_row(FILE *out, const struct stat_table *table, const struct stat_row *row,
		      int width)
{
	double quotient = stat_quotient(table, row);
	char value[NUMBER_LEN + 8];
	char *name = name_of(row);

	if (!stat_is_counted(row)) {
		snprintf(value, sizeof(value), "<%s>", state_of(row));
		out_put(out, "%16s  %s\n", value, name);
		free(name);
		return;
	}
	format_value(value, row);
	if (quotient < 0) {
		out_put(out, "%16s  %s", value, name);
	} else {
		out_put(out, "%16s  %-*s", value, width, name);
		print_quotient(out, &stat_kinds[row->id], quotient);
	}
	if (is_scaled(row))
		out_put(out, "  (%.2f%%)", stat_running(row));
	out_put(out, "\n");
	free(name);
}

static int width_of_names(const struct stat_table *table)
{
	const struct stat_row *row;
	int width = 0, len;
	char *name;

	for (row = table->rows; row < table->rows + table->nr; row++) {
		name = name_of(row);
		len = strlen(name);
		width = len > width ? len : width;
		free(name);
	}
	return width;
}

/* Is it the first row with this error? */
static bool is_first_with_error(const struct stat_table *table, const struct stat_row *row)
{
	const struct stat_row *before;

	for (before = table->rows; before < row; before++)
		if (before->error == row->error)
			return false;
	return row->error;
}

static bool have_all_one_error(const struct stat_table *table)
{
	const struct stat_row *row;
	int nr = 0;

	for (row = table->rows; row < table->rows + table->nr; row++)
		nr += is_first_with_error(table, row);
	return nr == 1;
}

/* Returns the names of the rows with this error. The caller frees them. */
static char *names_with_error(const struct stat_table *table, int error)
{
	char *names = mem_string(""), *longer;
	const struct stat_row *row;

	for (row = table->rows; row < table->rows + table->nr; row++) {
		if (row->error != error)
			continue;
		longer = mem_format("%s%s%s", names, *names ? ", " : "", stat_kinds[row->id].name);
		free(names);
		names = longer;
	}
	return names;
}

static void print_reason(FILE *out, const struct stat_table *table, int error, bool has_names)
{
	char *names = names_with_error(table, error);
	char *text = mem_format("supported%s%s%s: %s.", has_names ? " (" : "",
				has_names ? names : "", has_names ? ")" : "", stat_reason(error));

	out_put(out, "\nNot");
	out_words(out, text, strlen("Not"), INDENT, COLUMNS);
	free(text);
	free(names);
}

/* Each reason is given once; if there are several, with its rows. */
static void print_reasons(FILE *out, const struct stat_table *table)
{
	bool is_one = have_all_one_error(table);
	const struct stat_row *row;

	for (row = table->rows; row < table->rows + table->nr; row++)
		if (is_first_with_error(table, row))
			print_reason(out, table, row->error, !is_one);
}

static bool is_any_scaled(const struct stat_table *table)
{
	const struct stat_row *row;

	for (row = table->rows; row < table->rows + table->nr; row++)
		if (is_scaled(row))
			return true;
	return false;
}

void stat_print(FILE *out, const struct stat_table *table)
{
	int width = width_of_names(table);
	const struct stat_row *row;

	out_put(out, "\n");
	for (row = table->rows; row < table->rows + table->nr; row++)
		print_row(out, table, row, width);
	if (table->is_total && is_any_scaled(table))
		out_put(out, "\n(%%): counted in this part of the time, and scaled to the whole time.\n");
	if (table->is_total)
		print_reasons(out, table);
}

/* --- csv -------------------------------------------------------------------------- */

static void put_cell(FILE *out, const char *text)
{
	csv_text_put(out, text);
	out_put(out, ",");
}

static void put_csv_row(FILE *out, const struct stat_table *table, const struct stat_row *row)
{
	const struct stat_kind *kind = &stat_kinds[row->id];

	put_cell(out, kind->name);
	put_cell(out, row->pmu ? row->pmu : "");
	if (stat_is_counted(row))
		out_put(out, "%llu", (unsigned long long)stat_value(row));
	out_put(out, ",");
	put_cell(out, kind->is_time ? "ns" : "");
	put_cell(out, state_of(row));
	if (stat_is_counted(row) && kind->source == STAT_OF_PROCESSOR)
		out_put(out, "%.2f", stat_running(row));
	out_put(out, ",");
	put_cell(out, sources[kind->source]);
	out_put(out, "%s\n", table->is_total ? "true" : "false");
}

void stat_print_csv(FILE *out, const struct stat_table *table, bool is_first)
{
	uint64_t end, begin = head_begin(&end);
	const struct stat_row *row;

	if (is_first)
		out_put(out, "%sname,pmu,value,unit,state,running_percent,source,total\n",
			table->has_window ? "from_realtime_ns,to_realtime_ns," : "");
	for (row = table->rows; row < table->rows + table->nr; row++) {
		if (table->has_window)
			out_put(out, "%llu,%llu,", (unsigned long long)begin,
				(unsigned long long)end);
		put_csv_row(out, table, row);
	}
}

/* --- JSON ------------------------------------------------------------------------- */

static void add_quotient(struct json_object *to, const struct stat_table *table,
			 const struct stat_row *row)
{
	double quotient = stat_quotient(table, row);

	if (quotient < 0)
		return;
	json_add_real(to, "quotient", "%.6f", quotient);
	json_add_text(to, "quotient_unit", stat_kinds[row->id].unit);
}

static struct json_object *row_of(const struct stat_table *table, const struct stat_row *row)
{
	const struct stat_kind *kind = &stat_kinds[row->id];
	struct json_object *to = json_object_new_object();

	json_add_text(to, "name", kind->name);
	if (row->pmu)
		json_add_text(to, "pmu", row->pmu);
	if (stat_is_counted(row))
		json_add_u64(to, "value", stat_value(row));
	if (kind->is_time)
		json_add_text(to, "unit", "ns");
	json_add_text(to, "state", state_of(row));
	if (row->error)
		json_add_text(to, "reason", stat_reason(row->error));
	if (stat_is_counted(row) && kind->source == STAT_OF_PROCESSOR)
		json_add_real(to, "running_percent", "%.2f", stat_running(row));
	json_add_text(to, "source", sources[kind->source]);
	add_quotient(to, table, row);
	return to;
}

struct json_object *stat_document(const struct stat_table *table)
{
	struct json_object *document = head_json(NULL), *rows = json_object_new_array();
	const struct stat_row *row;

	head_add_lost(document, table->lost);
	json_add(document, "total", json_object_new_boolean(table->is_total));
	for (row = table->rows; row < table->rows + table->nr; row++)
		json_object_array_add(rows, row_of(table, row));
	json_add(document, "rows", rows);
	return document;
}
