// SPDX-License-Identifier: GPL-2.0
/*
 * Tables with chosen keys. Keys and values come from the table's schema; this file only formats the
 * numbers of each key.
 */
#include <stdlib.h>
#include <string.h>

#include "nl/nl_table.h"
#include "report/chosen.h"
#include "report/table_read.h"
#include "system/disks.h"
#include "system/inode_names.h"
#include "util/mem.h"
#include "util/out.h"

static const struct key {
	uint32_t id;
	const char *name, *title;
	int width;
	bool is_left;
} keys[] = {
	{ KTRACE_KEY_FUNCTION, "function", "FUNCTION", 0, true },
	{ KTRACE_KEY_SYSCALL, "syscall", "SYSCALL", 0, true },
	{ KTRACE_KEY_PERIOD, "period", "PERIOD", 0, true },
	{ KTRACE_KEY_FAULT, "fault", "FAULT", 0, true },
	{ KTRACE_KEY_DEVICE, "dev", "DISK", 0, true },
	{ KTRACE_KEY_OPERATION, "op", "OP", 0, true },
	{ KTRACE_KEY_STAGE, "stage", "STAGE", 0, true },
	{ KTRACE_KEY_FILE, "file", "FILE", 0, true },
	{ KTRACE_KEY_ERRNO, "errno", "ERRNO", 0, true },
	{ KTRACE_KEY_TID, "tid", "TID", 7, false },
	{ KTRACE_KEY_PID, "pid", "PID", 7, false },
	{ KTRACE_KEY_COMM, "comm", "COMM", 0, true },
	{ KTRACE_KEY_CPU, "cpu", "CPU", 3, false },
	{ KTRACE_KEY_UID, "uid", "UID", 7, false },
	{ KTRACE_KEY_CGROUP, "cgroup", "CGROUP", 0, true },
};

#define NR_KEYS (sizeof(keys) / sizeof(*keys))

static const struct key *key_of(uint32_t id)
{
	size_t i;

	for (i = 0; i < NR_KEYS; i++)
		if (keys[i].id == id)
			return &keys[i];
	return NULL;
}

/* --- options ----------------------------------------------------------------- */

static const struct key *find_key(const char *name, size_t len, uint32_t offered)
{
	size_t i;

	for (i = 0; i < NR_KEYS; i++)
		if (strlen(keys[i].name) == len && !strncmp(keys[i].name, name, len) &&
		    (offered >> keys[i].id & 1))
			return &keys[i];
	return NULL;
}

static int refuse(const char *text, uint32_t offered, struct err *err)
{
	char *names = mem_string(""), *longer;
	size_t i;

	for (i = 0; i < NR_KEYS; i++) {
		if (!(offered >> keys[i].id & 1))
			continue;
		longer = mem_format("%s%s%s", names, *names ? ", " : "", keys[i].name);
		free(names);
		names = longer;
	}
	err_set(err, "--by takes one to %d of %s, each once, with commas between; not '%s'.",
		KTRACE_TABLE_KEYS, names, text);
	free(names);
	return -1;
}

int chosen_parse(struct ktrace_table *shape, const char *text, uint32_t offered, struct err *err)
{
	const char *at = text, *end;
	const struct key *key;
	size_t nr, i;

	memset(shape, 0, sizeof(*shape));
	shape->flags = KTRACE_TABLE_HISTOGRAM;
	for (nr = 0;; at = end + 1) {
		end = strchrnul(at, ',');
		key = find_key(at, end - at, offered);
		if (!key || nr == KTRACE_TABLE_KEYS)
			return refuse(text, offered, err);
		for (i = 0; i < nr; i++)
			if (shape->keys[i] == key->id)
				return refuse(text, offered, err);
		shape->keys[nr++] = key->id;
		if (!*end)
			return 0;
	}
}

/* --- rows --------------------------------------------------------------------- */

static bool has_key(const struct ktrace_table *shape, uint32_t key)
{
	int i;

	for (i = 0; i < KTRACE_TABLE_KEYS; i++)
		if (shape->keys[i] == key)
			return true;
	return false;
}

static bool is_of_task(uint32_t key)
{
	return key == KTRACE_KEY_TID || key == KTRACE_KEY_PID;
}

/* The number of a task is shown with its name, unless the name is a key as well. */
static bool has_name(const struct ktrace_table *shape)
{
	return (has_key(shape, KTRACE_KEY_TID) || has_key(shape, KTRACE_KEY_PID)) &&
	       !has_key(shape, KTRACE_KEY_COMM);
}

/* Returns flags for the figures that only some tables have. */
static uint32_t flags_of(const struct knl_table *table)
{
	return (knl_table_figure(table, KTRACE_FIGURE_SELF) ? CHOSEN_CPU_TIME : 0) |
	       (knl_table_figure(table, KTRACE_FIGURE_PAGE_HITS) ? CHOSEN_PAGES : 0) |
	       (knl_table_figure(table, KTRACE_FIGURE_ERRORS) ? CHOSEN_ERRORS : 0) |
	       (knl_table_figure(table, KTRACE_FIGURE_BYTES) ? CHOSEN_BYTES : 0);
}

/* Adds a row. If a key is the number of a task, the last key of the row is the task's name. */
static struct row *add(void *arg, struct table *table, const struct knl_row *row)
{
	struct row *added = table_add(table);
	struct row_key *name = &added->keys[table->nr_keys - 1];

	(void)arg;
	table->flags |= flags_of(row->table);
	name->is_none = true;
	if (has_name(&row->table->shape))
		*name = key_read_task(table, row);
	return added;
}

/* --- files ---------------------------------------------------------------------- */

/*
 * Sets the text of a file's key, and its object to the path, or to NULL if the path is not known.
 */
static void name_file(struct table *table, struct row_key *file, const char *path)
{
	char number[DISK_NAME_LEN];

	if (file->is_none)
		return;
	file->object = path ? table_text(table, "%s", path) : NULL;
	file->text = path ? file->object :
		     table_text(table, "inode %llu of %s", (unsigned long long)file->number,
				disk_number(number, file->dev));
}

/* Looks up all files in one pass, because a look-up takes long. */
static void name_files(struct table *table, size_t at)
{
	struct inode_name *names = mem_alloc((table->nr + 1) * sizeof(*names));
	struct row *row, *end = table->rows + table->nr;
	struct row_key *file;
	size_t nr = 0;

	for (row = table->rows; row < end; row++) {
		file = &row->keys[at];
		if (!file->is_none)
			names[nr++] = (struct inode_name){ .dev = file->dev, .inode = file->number };
	}
	inode_names_find(names, nr);
	for (row = table->rows; row < end; row++) {
		file = &row->keys[at];
		name_file(table, file, inode_names_path(names, nr, file->dev, file->number));
	}
	inode_names_free(names, nr);
}

/* --- how it is shown ------------------------------------------------------------ */

/*
 * AVG is derived from TOTAL and CALLS, so it is dropped before pages, which are shown only on
 * request.
 */
#define TIME(text, what, ...)								\
	{ text, .format = FORMAT_TIME, .figure = (what), .width = 7, __VA_ARGS__ }
#define PAGES(text, name, what)								\
	{ text, .sort = (name), .figure = (what), .width = 7, .drop = 1, .when = CHOSEN_PAGES }

static const struct column figures[] = {
	TIME("TOTAL", FIG_TOTAL, .sort = "total", .indent = 1),
	TIME("CPU TIME", FIG_SELF, .when = CHOSEN_CPU_TIME),
	{ "CALLS", .sort = "calls", .figure = FIG_CALLS, .width = 9,
	  .unless = CHOSEN_PERIODS | CHOSEN_REQUESTS | CHOSEN_FAULTS },
	{ "FAULTS", .sort = "faults", .figure = FIG_CALLS, .width = 9, .when = CHOSEN_FAULTS },
	{ "COUNT", .sort = "count", .figure = FIG_CALLS, .width = 9, .when = CHOSEN_PERIODS },
	{ "REQUESTS", .sort = "requests", .figure = FIG_CALLS, .width = 9,
	  .when = CHOSEN_REQUESTS },
	{ "/s", .format = FORMAT_RATE, .figure = FIG_CALLS, .per = FIG_SECONDS, .width = 8,
	  .drop = 6 },
	{ "ERRORS", .sort = "errors", .figure = FIG_ERRORS, .width = 7, .needs = FIG_ERRORS,
	  .when = CHOSEN_ERRORS },
	TIME("AVG", FIG_AVG, .drop = 2, .sort = "avg"),
	TIME("P50", FIG_P50, .drop = 3, .is_of_rows = true),
	TIME("P99", FIG_P99, .drop = 3, .sort = "p99", .is_of_rows = true),
	TIME("MAX", FIG_MAX, .drop = 4, .sort = "max"),
	{ "BYTES", .sort = "bytes", .format = FORMAT_BYTES, .figure = FIG_BYTES, .width = 9,
	  .needs = FIG_BYTES, .drop = 5, .when = CHOSEN_BYTES },
	{ "BYTES/s", .format = FORMAT_BYTES, .figure = FIG_BYTES, .per = FIG_SECONDS, .width = 9,
	  .needs = FIG_BYTES, .drop = 6, .when = CHOSEN_REQUESTS },
	{ "EACH", .format = FORMAT_BYTES, .figure = FIG_BYTES, .per = FIG_CALLS, .width = 9,
	  .needs = FIG_BYTES, .drop = 6, .when = CHOSEN_REQUESTS },
	PAGES("HITS", "hits", FIG_PAGE_HITS),
	PAGES("MISSES", "misses", FIG_PAGE_MISSES),
	PAGES("AHEAD", "ahead", FIG_PAGES_AHEAD),
	PAGES("DIRTIED", "dirtied", FIG_PAGES_DIRTIED),
};

#define NR(array) (sizeof(array) / sizeof(*(array)))

static struct column key_column(const struct key *key, unsigned int at)
{
	return (struct column){ key->title, .format = FORMAT_KEY, .key = at, .width = key->width,
				.indent = 1, .is_left = key->is_left, .is_grown = key->is_left,
				.is_cut = key->is_left, .none = "-",
				.is_function = key->id == KTRACE_KEY_FUNCTION,
				.sort = at ? NULL : "name" };
}

/* Adds the columns of the keys. A task's name follows its first number. */
static void add_keys(struct chosen *chosen, const struct ktrace_table *shape)
{
	static const struct key comm = { .name = "comm", .title = "COMM", .is_left = true };
	struct column *column = chosen->columns + NR(figures);
	size_t nr = chosen->table.nr_keys - 1, i;
	bool is_due = has_name(shape);
	const struct key *key;

	for (i = 0; i < nr; i++) {
		key = key_of(shape->keys[i]);
		*column++ = key_column(key, i);
		if (!is_due || !is_of_task(shape->keys[i]))
			continue;
		*column++ = key_column(&comm, nr);
		is_due = false;
	}
	column[-1].is_grown = false;
	chosen->layout.nr = column - chosen->columns;
}

static const char *empty_of(uint32_t flags)
{
	return flags & CHOSEN_PERIODS ? "No period was counted; a sleep counts when it ends." :
	       flags & CHOSEN_FAULTS ? "No fault was counted." :
	       flags & CHOSEN_REQUESTS ? "No request was counted." : "No call was counted.";
}

static void make_layout(struct chosen *chosen, const struct ktrace_table *shape)
{
	_Static_assert(NR(figures) <= CHOSEN_COLUMNS, "there is room for the columns of figures");
	memcpy(chosen->columns, figures, sizeof(figures));
	add_keys(chosen, shape);
	chosen->layout.columns = chosen->columns;
	chosen->layout.begin = "";
	chosen->layout.gap = " ";
	chosen->layout.empty = empty_of(chosen->table.flags);
}

static size_t make_kinds(struct chosen *chosen, const struct ktrace_table *shape)
{
	static const uint32_t texts = 1U << KTRACE_KEY_COMM | 1U << KTRACE_KEY_FUNCTION |
				      1U << KTRACE_KEY_SYSCALL | 1U << KTRACE_KEY_DEVICE |
				      1U << KTRACE_KEY_FILE;
	size_t nr = 0;

	for (; nr < KTRACE_TABLE_KEYS && shape->keys[nr]; nr++) {
		chosen->kinds[nr].id = shape->keys[nr];
		chosen->kinds[nr].name = key_of(shape->keys[nr])->name;
		chosen->kinds[nr].compare = texts >> shape->keys[nr] & 1 ? key_by_text :
					    key_by_number;
	}
	chosen->kinds[nr].name = "comm";
	chosen->kinds[nr].compare = key_by_text;
	return nr + 1;
}

static uint32_t what_is_counted(const struct knl_session *session, const struct ktrace_table *shape)
{
	if (session->provider == KTRACE_PROVIDER_FAULT)
		return CHOSEN_FAULTS;
	if (session->provider == KTRACE_PROVIDER_BLOCK)
		return CHOSEN_REQUESTS;
	return has_key(shape, KTRACE_KEY_PERIOD) ? CHOSEN_PERIODS : 0;
}

int chosen_read(struct chosen *chosen, struct knl *nl, const struct knl_session *session,
		const struct ktrace_table *shape, uint32_t read_flags)
{
	struct table_source source = {
		.to = &chosen->table, .names = { .functions = chosen->names },
		.needs = FIG_CALLS, .add = add,
	};
	size_t i;
	int error;

	table_init(&chosen->table, chosen->kinds, make_kinds(chosen, shape), 1);
	chosen->table.flags = what_is_counted(session, shape);
	make_layout(chosen, shape);
	error = table_read(NULL, &source, nl, session->id, read_flags);
	for (i = 0; !error && i < KTRACE_TABLE_KEYS; i++)
		if (shape->keys[i] == KTRACE_KEY_FILE)
			name_files(&chosen->table, i);
	return error;
}

void chosen_sort(struct chosen *chosen, const char *column)
{
	table_sort(&chosen->table, &chosen->layout, column);
}

static void print_others(FILE *out, const struct chosen *chosen)
{
	uint32_t flags = chosen->table.flags;

	if (chosen->table.others.parts)
		out_put(out, "  %llu more %s have no rows of their own: the table is full.\n",
			(unsigned long long)row_figure(&chosen->table.others, FIG_CALLS, 0),
			flags & CHOSEN_PERIODS ? "periods" : flags & CHOSEN_FAULTS ? "faults" :
			flags & CHOSEN_REQUESTS ? "requests" : "calls");
}

void chosen_print(FILE *out, const struct chosen *chosen)
{
	if (!chosen->table.others.parts || table_is_shown(&chosen->table, &chosen->layout))
		table_print(out, &chosen->table, &chosen->layout);
	print_others(out, chosen);
}

/* "pid 4711 (dd), function vfs_read" */
static void print_title(FILE *out, const struct chosen *chosen, const struct row *row)
{
	size_t nr = chosen->table.nr_keys - 1, i;

	for (i = 0; i < nr; i++) {
		out_put(out, "%s%s ", i ? ", " : "", chosen->kinds[i].name);
		if (row->keys[i].text || row->keys[i].is_none)
			out_put(out, "%s", row->keys[i].is_none ? "-" : row->keys[i].text);
		else
			out_put(out, "%llu", (unsigned long long)row->keys[i].number);
	}
	if (!row->keys[nr].is_none)
		out_put(out, " (%s)", row->keys[nr].text);
	fputc('\n', out);
}

void chosen_print_hists(FILE *out, const struct chosen *chosen)
{
	const struct row *row = chosen->table.rows, *end = row + chosen->table.nr;

	if (!chosen->table.nr) {
		chosen_print(out, chosen);
		return;
	}
	for (; row < end; row++) {
		print_title(out, chosen, row);
		hist_print(out, &row->parts->hist);
		fputc('\n', out);
	}
	print_others(out, chosen);
}

void chosen_free(struct chosen *chosen)
{
	table_free(&chosen->table);
}
