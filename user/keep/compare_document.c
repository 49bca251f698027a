// SPDX-License-Identifier: GPL-2.0
/* Documents as wholes: which are compared, and what is kept of them. */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "keep/compare_document.h"
#include "keep/compare_parts.h"
#include "util/mem.h"

/* Documents of one class are compared with each other. */
struct schema {
	const char *name, *class;
	bool adds_up;	/* its rows do not contain each other: their sum is that of all */
	bool has_shares;	/* of samples */
};

static const struct schema schemas[] = {
	{ "run", "user functions", .adds_up = true }, { "read", "user functions", .adds_up = true },
	{ "func", "kernel functions", .adds_up = false },
	{ "graph", "kernel functions", .adds_up = true },
	{ "syscall", "system calls", .adds_up = true }, { "fault", "page faults", .adds_up = true },
	{ "sched", "the scheduler", .adds_up = false },
	{ "io", "input and output", .adds_up = false },
	{ "profile", "samples", .has_shares = true },
};

#define NR_SCHEMAS (sizeof(schemas) / sizeof(*schemas))
#define SCHEMA_BEGIN "ktrace."
#define SCHEMA_END "/1"

static const char *text_of(struct json_object *document, const char *name)
{
	struct json_object *value;

	if (!json_object_object_get_ex(document, name, &value) ||
	    !json_object_is_type(value, json_type_string))
		return "";
	return json_object_get_string(value);
}

/* Returns the schema of a document, or NULL with err set. */
static const struct schema *schema_of(const char *path, struct json_object *document,
				      struct err *err)
{
	const char *text = text_of(document, "schema"), *name;
	size_t i, len;

	if (strncmp(text, SCHEMA_BEGIN, strlen(SCHEMA_BEGIN))) {
		err_set(err, "%s is not a document of ktrace: it has no member schema that says so; write it with --format json -o FILE.",
			path);
		return NULL;
	}
	name = text + strlen(SCHEMA_BEGIN);
	len = strcspn(name, "/");
	for (i = 0; i < NR_SCHEMAS; i++) {
		if (strlen(schemas[i].name) != len || strncmp(schemas[i].name, name, len))
			continue;
		if (!strcmp(name + len, SCHEMA_END))
			return &schemas[i];
		err_set(err, "%s has the schema %s, and this ktrace reads %s%s%s: compare it with the ktrace that wrote it.",
			path, text, SCHEMA_BEGIN, schemas[i].name, SCHEMA_END);
		return NULL;
	}
	err_set(err, "%s has the schema %s, which is not compared: documents of run, ctl read, syscall, fault, func, graph, sched, io and profile are.",
		path, text);
	return NULL;
}

/* Returns the first document that was added, or NULL. */
static const struct compare_run *first_of(const struct comparison *comparison)
{
	int side;

	for (side = 0; side < NR_SIDES; side++)
		if (comparison->nr_runs[side])
			return &comparison->runs[side][0];
	return NULL;
}

static const char *by_of(struct json_object *document)
{
	struct json_object *by;

	if (!json_object_object_get_ex(document, "by", &by))
		return "no --by";
	return json_object_to_json_string_ext(by, JSON_C_TO_STRING_PLAIN);
}

/* Rows can be matched only if they have the same keys. */
static int check_class(const struct comparison *comparison, const char *path,
		       struct json_object *document, const struct schema *schema, struct err *err)
{
	const struct compare_run *first = first_of(comparison);
	const struct schema *other = first ? schema_of(first->path, first->head, err) : schema;

	if (other && strcmp(other->class, schema->class))
		return err_set(err, "%s is about %s and %s about %s: they have nothing in common.",
			       first->path, other->class, path, schema->class);
	if (first && strcmp(by_of(first->head), by_of(document)))
		return err_set(err, "%s has rows by %s and %s by %s: the same keys are needed.",
			       first->path, by_of(first->head), path, by_of(document));
	return 0;
}

static int read_all(struct reading *reading, struct json_object *list)
{
	struct comparison *comparison = reading->comparison;

	reading->list = comparison->has_paths ? "stack" : "row";
	if (comparison->has_shares && compare_read_samples(reading, list))
		return -1;
	comparison->nr_samples[reading->side] += reading->nr_samples;
	if (!comparison->has_paths)
		return compare_read_rows(reading, list);
	return (comparison->has_shares ? compare_read_stacks : compare_read_tree)(reading, list);
}

static int read_list(struct reading *reading, struct json_object *document)
{
	bool has_paths = reading->comparison->has_paths;
	bool has_shares = reading->comparison->has_shares;
	const char *name = !has_paths ? "rows" : has_shares ? "stacks" : "tree";
	struct json_object *list;

	if (!json_object_object_get_ex(document, name, &list))
		return err_set(reading->err, !has_paths ? "%s has no rows: is it a whole document?" :
			       has_shares ? "%s has no stacks: ktrace profile without --by writes them." :
			       "%s has no tree of calls: ktrace run and ktrace graph write one.",
			       reading->path);
	if (!json_object_is_type(list, json_type_array))
		return err_set(reading->err, "%s cannot be compared: %s is not a list.", reading->path,
			       name);
	return read_all(reading, list);
}

/* Keeps what is said about the run, without its rows. */
static struct compare_run *keep_run(struct comparison *comparison, enum compare_side side,
				    const char *path, struct json_object *document)
{
	struct compare_run *run = &comparison->runs[side][comparison->nr_runs[side]++];

	run->path = mem_string(path);
	run->head = document;
	return run;
}

static int add(struct comparison *comparison, enum compare_side side, const char *path,
	       struct json_object *document, struct err *err)
{
	struct reading reading = { .comparison = comparison, .side = side, .path = path, .err = err,
				   .run = comparison->nr_runs[side], .list = "document" };
	const struct schema *schema;
	struct compare_run *run;

	if (reading.run == SPREAD_MOST)
		return err_set(err, "%s is one run too many: at most %d are compared on each side.", path,
			       SPREAD_MOST);
	if (!json_object_is_type(document, json_type_object))
		return err_set(err, "%s is not a document of ktrace: it is not an object.", path);
	schema = schema_of(path, document, err);
	if (!schema || check_class(comparison, path, document, schema, err))
		return -1;
	comparison->has_shares = schema->has_shares;
	comparison->has_whole = schema->adds_up && (!first_of(comparison) || comparison->has_whole);
	run = keep_run(comparison, side, path, json_object_get(document));
	if (compare_read_number(&reading, document, "lost", &run->lost) < 0)
		return -1;
	reading.has_losses = run->lost;
	return read_list(&reading, document);
}

int compare_add(struct comparison *comparison, enum compare_side side, const char *path,
		struct json_object *document, struct err *err)
{
	static const char *const dropped[] = { "rows", "tree", "stacks", "chains", "errors" };
	int error = add(comparison, side, path, document, err);
	size_t i;

	if (!error)
		for (i = 0; i < sizeof(dropped) / sizeof(*dropped); i++)
			json_object_object_del(document, dropped[i]);
	json_object_put(document);
	return error;
}
