// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <json-c/json.h>

#include "session/origin.h"
#include "util/mem.h"

/* --- writing ------------------------------------------------------------ */

static void add_text(struct json_object *to, const char *key, const char *text)
{
	if (text)
		json_object_object_add(to, key, json_object_new_string(text));
}

static void add_number(struct json_object *to, const char *key, uint64_t number)
{
	if (number)
		json_object_object_add(to, key, json_object_new_int64(number));
}

static void add_globs(struct json_object *to, const char *key, const struct match *match)
{
	struct json_object *list;
	size_t i;

	if (!match->nr)
		return;
	list = json_object_new_array();
	for (i = 0; i < match->nr; i++)
		json_object_array_add(list, json_object_new_string(match->globs[i]));
	json_object_object_add(to, key, list);
}

/* Writes the rules in the form of --arg and --ret. */
static void add_values(struct json_object *to, const struct value_rules *rules)
{
	struct json_object *args = json_object_new_array(), *results = json_object_new_array();
	size_t i;

	for (i = 0; i < rules->nr; i++)
		json_object_array_add(value_has_args(&rules->rules[i].formats) ? args : results,
				      json_object_new_string(rules->rules[i].text));
	json_object_object_add(to, "args", args);
	json_object_object_add(to, "results", results);
}

static void add_words(struct json_object *to, const char **words)
{
	struct json_object *list = json_object_new_array();

	for (; words && *words; words++)
		json_object_array_add(list, json_object_new_string(*words));
	json_object_object_add(to, "words", list);
}

struct json_object *origin_to_json(const struct origin *origin)
{
	struct json_object *to = json_object_new_object();
	const struct trace *trace = &origin->trace;

	add_text(to, "path", origin->path);
	add_text(to, "shown", origin->shown);
	add_number(to, "pid", origin->pid);
	add_number(to, "dev", origin->dev);
	add_number(to, "ino", origin->ino);
	add_globs(to, "functions", &trace->functions);
	add_globs(to, "no_functions", &trace->no_functions);
	add_globs(to, "below", &trace->below);
	add_globs(to, "not_below", &trace->not_below);
	add_globs(to, "libs", &trace->libs);
	add_globs(to, "nested_libs", &trace->nested_libs);
	add_values(to, &trace->values);
	add_text(to, "return", trace->how);
	add_number(to, "is_count", trace->is_count);
	add_number(to, "has_no_libs", trace->has_no_libs);
	add_words(to, origin->words);
	return to;
}

/* --- reading ------------------------------------------------------------ */

static struct json_object *member(struct json_object *of, const char *key,
				  enum json_type type)
{
	struct json_object *value;

	if (!of || !json_object_object_get_ex(of, key, &value))
		return NULL;
	return json_object_is_type(value, type) ? value : NULL;
}

static const char *text_of(struct json_object *of, const char *key)
{
	struct json_object *text = member(of, key, json_type_string);

	return text ? json_object_get_string(text) : NULL;
}

static uint64_t number_of(struct json_object *of, const char *key)
{
	struct json_object *number = member(of, key, json_type_int);

	return number ? json_object_get_int64(number) : 0;
}

static size_t len_of(struct json_object *list)
{
	return list ? json_object_array_length(list) : 0;
}

/* Never returns NULL, whatever the list contains. */
static const char *text_at(struct json_object *list, size_t i)
{
	const char *text = json_object_get_string(json_object_array_get_idx(list, i));

	return text ? text : "";
}

static void take_globs(struct match *match, struct json_object *of, const char *key)
{
	struct json_object *list = member(of, key, json_type_array);
	size_t i;

	for (i = 0; i < len_of(list); i++)
		match_add(match, text_at(list, i));
}

static void take_values(struct value_rules *rules, struct json_object *of)
{
	struct json_object *args = member(of, "args", json_type_array);
	struct json_object *results = member(of, "results", json_type_array);
	struct err ignored;
	size_t i;

	for (i = 0; i < len_of(args); i++)
		value_add_args(rules, text_at(args, i), &ignored);
	for (i = 0; i < len_of(results); i++)
		value_add_result(rules, text_at(results, i), &ignored);
}

static const char **words_of(struct json_object *of)
{
	struct json_object *list = member(of, "words", json_type_array);
	size_t nr = len_of(list), i;
	const char **words;

	if (!nr)
		return NULL;
	words = mem_alloc((nr + 1) * sizeof(*words));
	for (i = 0; i < nr; i++)
		words[i] = text_at(list, i);
	return words;
}

void origin_from_json(struct origin *origin, struct json_object *from)
{
	struct trace *trace = &origin->trace;

	memset(origin, 0, sizeof(*origin));
	origin->path = text_of(from, "path");
	origin->shown = text_of(from, "shown");
	origin->pid = number_of(from, "pid");
	origin->dev = number_of(from, "dev");
	origin->ino = number_of(from, "ino");
	take_globs(&trace->functions, from, "functions");
	take_globs(&trace->no_functions, from, "no_functions");
	take_globs(&trace->below, from, "below");
	take_globs(&trace->not_below, from, "not_below");
	take_globs(&trace->libs, from, "libs");
	take_globs(&trace->nested_libs, from, "nested_libs");
	take_values(&trace->values, from);
	trace->how = text_of(from, "return");
	trace->is_count = number_of(from, "is_count");
	trace->has_no_libs = number_of(from, "has_no_libs");
	origin->words = words_of(from);
}

void origin_free(struct origin *origin)
{
	trace_free(&origin->trace);
	free(origin->words);
}

/* --- the file ------------------------------------------------------------ */

const char *origin_name(const struct origin *origin)
{
	return origin->shown ? origin->shown : origin->path ? origin->path : "the file";
}

bool origin_is_file(const struct origin *origin, const char *path)
{
	struct stat st;

	return path && !stat(path, &st) && st.st_dev == origin->dev && st.st_ino == origin->ino;
}

char *origin_file(const struct origin *origin)
{
	if (origin_is_file(origin, origin->path))
		return mem_string(origin->path);
	return origin_is_file(origin, origin->shown) ? mem_string(origin->shown) : NULL;
}
