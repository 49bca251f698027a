// SPDX-License-Identifier: GPL-2.0
/*
 * Tables with chosen keys. Keys and values come from the table's schema; this file only formats the
 * numbers of each key.
 */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "client/client.h"
#include "report/chosen.h"
#include "report/functions.h"
#include "report/json.h"
#include "report/json_write.h"
#include "report/table_read.h"
#include "system/disks.h"
#include "system/inode_names.h"
#include "util/mem.h"
#include "util/out.h"

/* --- options ----------------------------------------------------------------- */

static const struct key_kind *find_key(const char *name, size_t len, uint32_t offered)
{
	const struct key_kind *key;

	for (key = key_kinds; key->name; key++)
		if (strlen(key->name) == len && !strncmp(key->name, name, len) &&
		    (offered >> key->id & 1))
			return key;
	return NULL;
}

static int refuse(const char *text, uint32_t offered, struct err *err)
{
	char *names = mem_string(""), *longer;
	const struct key_kind *key;

	for (key = key_kinds; key->name; key++) {
		if (!(offered >> key->id & 1))
			continue;
		longer = mem_format("%s%s%s", names, *names ? ", " : "", key->name);
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
	const struct key_kind *key;
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

char *chosen_text(const struct ktrace_table *shape)
{
	char *text = mem_string(""), *longer;
	int i;

	for (i = 0; i < KTRACE_TABLE_KEYS && shape->keys[i]; i++) {
		longer = mem_format("%s%s%s", text, i ? "," : "", key_kind_of(shape->keys[i])->name);
		free(text);
		text = longer;
	}
	return text;
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
static uint32_t flags_of(const struct ktr_table *table)
{
	return (ktr_table_figure(table, KTRACE_FIGURE_SELF) ? CHOSEN_CPU_TIME : 0) |
	       (ktr_table_figure(table, KTRACE_FIGURE_PAGE_HITS) ? CHOSEN_PAGES : 0) |
	       (ktr_table_figure(table, KTRACE_FIGURE_ERRORS) ? CHOSEN_ERRORS : 0) |
	       (ktr_table_figure(table, KTRACE_FIGURE_BYTES) ? CHOSEN_BYTES : 0);
}

/* Adds a row. If a key is the number of a task, the last key of the row is the task's name. */
static struct row *add(void *arg, struct table *table, const struct ktr_row *row)
{
	struct row *added = table_add(table);
	struct row_key *name = &added->keys[table->nr_keys - 1];

	(void)arg;
	name->is_none = true;
	if (has_name(&row->table->shape))
		*name = key_read_task(table, row);
	return added;
}

/* --- files ---------------------------------------------------------------------- */

/* Sets the text of the key, and its object to the path, or to NULL if the path is not known. */
void chosen_name_file(struct table *table, struct row_key *file, const char *path)
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
		chosen_name_file(table, file, inode_names_path(names, nr, file->dev, file->number));
	}
	inode_names_free(names, nr);
}

/* --- how it is shown ------------------------------------------------------------ */

/*
 * AVG is derived from TOTAL and CALLS, so it is dropped before pages, which are shown only on
 * request.
 */
static const struct column figures[] = {
	OF_TIMED(TOTAL, .indent = 1),
	NAMED(SELF, "CPU TIME", .when = CHOSEN_CPU_TIME, .unless = CHOSEN_USER),
	FIGURE(SELF, .needs = FIG_CALLS, .none = "-", .drop = 1, .when = CHOSEN_USER),
	FIGURE(TOTAL_OF_ALL, .unit = "%", .when = CHOSEN_SAMPLES),
	FIGURE(SEEN, .unless = CHOSEN_PERIODS | CHOSEN_REQUESTS | CHOSEN_FAULTS | CHOSEN_SAMPLES),
	NAMED(CALLS, "SAMPLES", .sort = "samples", .when = CHOSEN_SAMPLES),
	NAMED(CALLS, "FAULTS", .sort = "faults", .when = CHOSEN_FAULTS),
	NAMED(CALLS, "COUNT", .sort = "count", .when = CHOSEN_PERIODS),
	NAMED(CALLS, "REQUESTS", .sort = "requests", .when = CHOSEN_REQUESTS),
	FIGURE(SEEN_RATE, .drop = 6, .unless = CHOSEN_SAMPLES),
	RESULT(.width = 7, .when = CHOSEN_ERRORS),
	OF_TIMED(AVG, .drop = 2, .unless = CHOSEN_USER | CHOSEN_SAMPLES), OF_TIMED(MEAN, .drop = 2, .when = CHOSEN_USER),
	OF_TIMED(P50, .drop = 3, .unless = CHOSEN_SAMPLES),
	OF_TIMED(P99, .drop = 3, .unless = CHOSEN_SAMPLES),
	OF_TIMED(MIN, .drop = 6, .when = CHOSEN_USER),
	OF_TIMED(MAX, .drop = 4, .unless = CHOSEN_SAMPLES),
	FIGURE(BYTES, .needs = FIG_BYTES, .drop = 5, .when = CHOSEN_BYTES),
	FIGURE(BYTE_RATE, .needs = FIG_BYTES, .drop = 6, .when = CHOSEN_REQUESTS),
	FIGURE(BYTES_EACH, .needs = FIG_BYTES, .drop = 6, .when = CHOSEN_REQUESTS),
	PAGES(.width = 7, .drop = 1, .when = CHOSEN_PAGES),
	{ .sort = "name", .is_hidden = true },	/* the first key */
};

static const struct column members[] = {
	FIGURE(ENTRIES, .when = CHOSEN_USER),
	FIGURE(CALLS, .unless = CHOSEN_PERIODS | CHOSEN_REQUESTS | CHOSEN_SAMPLES),
	NAMED(CALLS, "count", .when = CHOSEN_PERIODS),
	NAMED(CALLS, "requests", .when = CHOSEN_REQUESTS),
	NAMED(CALLS, "samples", .when = CHOSEN_SAMPLES),
	RESULT(.when = CHOSEN_ERRORS),
	FIGURE(TOTAL), NAMED(SELF, "cpu_ns", .when = CHOSEN_CPU_TIME, .unless = CHOSEN_USER),
	FIGURE(SELF, .when = CHOSEN_USER), FIGURE(AVG, .unless = CHOSEN_USER | CHOSEN_SAMPLES),
	FIGURE(MEAN, .when = CHOSEN_USER), FIGURE(SUM, .when = CHOSEN_USER),
	FIGURE(AT_MOST, .when = CHOSEN_USER), FIGURE(AT_MOST_TIME, .when = CHOSEN_USER),
	FIGURE(AT_MOST_SELF, .when = CHOSEN_USER),
	FIGURE(BYTES, .when = CHOSEN_BYTES), PAGES(.when = CHOSEN_PAGES),
	DISTRIBUTION(.needs = FIG_TIMED, .unless = CHOSEN_SAMPLES),
};

static const struct layout row_figures = { COLUMNS(figures) }, row_members = { COLUMNS(members) };

/* Without the keys that a command offers. */
const struct table_kind chosen_kind = {
	.keys = key_kinds, .screens = { &row_figures }, .json = &row_members,
};

static void remark(FILE *out, const struct table *table, const struct row *row)
{
	(void)table;
	functions_print_bounds(out, row);
}

#define NR(array) (sizeof(array) / sizeof(*(array)))

static void add_key(struct chosen *chosen, unsigned int at)
{
	const struct key_kind *key = &chosen->keys[at];

	chosen->columns[chosen->screen.nr++] = (struct column){
		.key = at, .indent = 1, .is_grown = key->is_left, .is_cut = key->is_left,
		.is_function = key->id == KTRACE_KEY_FUNCTION, .none = "-",
	};
}

/* Adds the columns of the keys. A task's name follows its first number. */
static void add_keys(struct chosen *chosen, const struct ktrace_table *shape)
{
	size_t nr = chosen->kind.nr_keys - 1, i;
	bool is_due = has_name(shape);

	for (i = 0; i < nr; i++) {
		add_key(chosen, i);
		if (!is_due || !is_of_task(shape->keys[i]))
			continue;
		add_key(chosen, nr);
		is_due = false;
	}
	chosen->columns[chosen->screen.nr - 1].is_grown = false;
}

static const char *empty_of(uint32_t flags)
{
	return flags & CHOSEN_PERIODS ? "No period was counted; a sleep counts when it ends." :
	       flags & CHOSEN_FAULTS ? "No fault was counted." :
	       flags & CHOSEN_REQUESTS ? "No request was counted." :
	       flags & CHOSEN_SAMPLES ? "No sample was counted." : "No call was counted.";
}

static void make_layouts(struct chosen *chosen, const struct ktrace_table *shape)
{
	size_t i, nr = chosen->kind.nr_keys - !has_name(shape);
	uint32_t flags = chosen->table.flags;

	chosen->columns = mem_alloc((TABLE_KEYS + NR(figures)) * sizeof(*chosen->columns));
	chosen->members = mem_alloc((TABLE_KEYS + NR(members)) * sizeof(*chosen->members));
	memcpy(chosen->columns, figures, sizeof(figures));
	chosen->screen = (struct layout){
		.columns = chosen->columns, .nr = NR(figures), .is_upper = true, .time_width = 7,
		.empty = empty_of(flags), .remark = flags & CHOSEN_USER ? remark : NULL,
	};
	add_keys(chosen, shape);
	for (i = 0; i < nr; i++)
		chosen->members[i].key = i;
	memcpy(chosen->members + nr, members, sizeof(members));
	chosen->json = (struct layout){ .columns = chosen->members, .nr = nr + NR(members) };
}

/* The last key is the name of a task. */
static void make_kind(struct chosen *chosen, const struct ktrace_table *shape, uint32_t flags)
{
	struct table_kind *kind = &chosen->kind;

	while (kind->nr_keys < KTRACE_TABLE_KEYS && shape->keys[kind->nr_keys]) {
		chosen->keys[kind->nr_keys] = *key_kind_of(shape->keys[kind->nr_keys]);
		kind->nr_keys++;
	}
	chosen->keys[kind->nr_keys] = *key_kind_of(KTRACE_KEY_COMM);
	chosen->keys[kind->nr_keys++].id = 0;
	kind->keys = chosen->keys;
	/* The return of a user function may not be observed. */
	kind->needs = flags & CHOSEN_USER ? FIG_ENTRIES : FIG_CALLS;
	kind->screens[0] = &chosen->screen;
	kind->json = &chosen->json;
}

static uint32_t what_is_counted(const struct ktr_session *session, const struct ktrace_table *shape)
{
	if (session->provider == KTRACE_PROVIDER_USER)
		return CHOSEN_USER;
	if (session->provider == KTRACE_PROVIDER_FAULT)
		return CHOSEN_FAULTS;
	if (session->provider == KTRACE_PROVIDER_BLOCK)
		return CHOSEN_REQUESTS;
	if (session->provider == KTRACE_PROVIDER_PROFILE)
		return CHOSEN_SAMPLES;
	return has_key(shape, KTRACE_KEY_PERIOD) ? CHOSEN_PERIODS : 0;
}

void chosen_init(struct chosen *chosen, const struct ktrace_table *shape, uint32_t counted,
		 uint32_t figures)
{
	make_kind(chosen, shape, counted);
	table_init(&chosen->table, &chosen->kind);
	chosen->table.flags = counted | figures;
	make_layouts(chosen, shape);
}

int chosen_read(struct chosen *chosen, struct ktr *ktr, const struct ktr_session *session,
		const struct ktrace_table *shape, uint32_t read_flags)
{
	struct table_source source = {
		.to = &chosen->table, .names = { .functions = chosen->names }, .add = add,
		.flags_of = flags_of,
	};
	size_t i;
	int error;

	chosen_init(chosen, shape, what_is_counted(session, shape), 0);
	error = table_read(NULL, &source, ktr, session->id, read_flags);
	for (i = 0; !error && i < KTRACE_TABLE_KEYS; i++)
		if (shape->keys[i] == KTRACE_KEY_FILE)
			name_files(&chosen->table, i);
	return error;
}

static void print_others(FILE *out, const struct chosen *chosen)
{
	uint32_t flags = chosen->table.flags;

	if (chosen->table.others.parts)
		out_put(out, "  %llu more %s have no rows of their own: the table is full.\n",
			(unsigned long long)row_figure(&chosen->table.others, FIG_SEEN, 0),
			flags & CHOSEN_PERIODS ? "periods" : flags & CHOSEN_FAULTS ? "faults" :
			flags & CHOSEN_REQUESTS ? "requests" :
			flags & CHOSEN_SAMPLES ? "samples" : "calls");
}

void chosen_print(FILE *out, const struct chosen *chosen)
{
	if (!chosen->table.others.parts || table_is_shown(&chosen->table))
		table_print(out, &chosen->table);
	print_others(out, chosen);
}

/* "pid 4711 (dd), function vfs_read" */
static void print_title(FILE *out, const struct chosen *chosen, const struct row *row)
{
	size_t nr = chosen->table.nr_keys - 1, i;

	for (i = 0; i < nr; i++) {
		out_put(out, "%s%s ", i ? ", " : "", chosen->keys[i].name);
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
		if (!row_figure(row, FIG_TIMED, 0))
			continue;
		print_title(out, chosen, row);
		hist_print(out, &row->parts->hist);
		fputc('\n', out);
	}
	print_others(out, chosen);
}

/* --- JSON --------------------------------------------------------------------- */

static struct json_object *others_of(const struct chosen *chosen)
{
	struct json_object *others = json_object_new_object();

	table_add_members(others, &chosen->table, &chosen->table.others, &row_members);
	return others;
}

struct json_object *chosen_document(const struct ktr_session *session,
				    const struct chosen *chosen)
{
	struct json_object *document = json_document_of(session);
	struct json_object *by = json_object_new_array();
	size_t i;

	for (i = 0; i + 1 < chosen->kind.nr_keys; i++)
		json_object_array_add(by, json_object_new_string(chosen->keys[i].name));
	json_add(document, "by", by);
	json_add_table(document, "rows", &chosen->table);
	if (chosen->table.others.parts)
		json_add(document, "others", others_of(chosen));
	return document;
}

void chosen_free(struct chosen *chosen)
{
	table_free(&chosen->table);
	free(chosen->columns);
	free(chosen->members);
}
