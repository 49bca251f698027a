// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "mem.h"
#include "sidecar.h"

#define FOLDER "/run/ktrace"

static char *path_of(const char *name)
{
	return mem_format(FOLDER "/%s", name);
}

/* --- writing ------------------------------------------------------------ */

static struct json_object *build_id_of(const struct elf_file *file)
{
	char text[2 * sizeof(file->build_id) + 1] = "";
	size_t i;

	for (i = 0; i < file->build_id_len; i++)
		sprintf(text + 2 * i, "%02x", file->build_id[i]);
	return json_object_new_string(text);
}

static struct json_object *objects_of(const struct plan *plan)
{
	struct json_object *list = json_object_new_array(), *to;
	size_t i;

	for (i = 0; i < plan->nr_objects; i++) {
		to = json_object_new_object();
		json_object_object_add(to, "path",
				       json_object_new_string(plan->objects[i].path));
		json_object_object_add(to, "build_id", build_id_of(&plan->objects[i]));
		json_object_array_add(list, to);
	}
	return list;
}

/* "d-s---x": arguments, then the result. */
static void put_formats(FILE *out, const struct value_formats *formats)
{
	char text[sizeof(formats->of) + 1] = "";
	size_t i;

	for (i = 0; i < sizeof(formats->of); i++)
		text[i] = formats->of[i] ? formats->of[i] : '-';
	if (text[strspn(text, "-")])
		fprintf(out, ",\"values\":\"%s\"", text);
}

/* One at a time: of a hundred thousand, objects in memory would take a kilobyte each. */
static void put_functions(FILE *out, const struct plan *plan)
{
	const struct plan_func *func;
	struct json_object *name;

	for (func = plan->funcs; func < plan->funcs + plan->nr_probed; func++) {
		name = json_object_new_string(func->name);
		fprintf(out, "%s{\"name\":%s,\"object\":%u,\"offset\":%llu",
			func == plan->funcs ? "" : ",\n",
			json_object_to_json_string(name), func->object,
			(unsigned long long)func->desc.start);
		put_formats(out, &func->formats);
		fputc('}', out);
		json_object_put(name);
	}
}

static int put_document(FILE *out, uint64_t cookie, const struct plan *plan)
{
	struct json_object *objects = objects_of(plan);

	fprintf(out, "{\"cookie\":\"%016llx\",\"objects\":%s,\"functions\":[\n",
		(unsigned long long)cookie, json_object_to_json_string(objects));
	put_functions(out, plan);
	fputs("]}\n", out);
	json_object_put(objects);
	return fflush(out) || ferror(out) ? -1 : 0;
}

static int write_file(const char *path, uint64_t cookie, const struct plan *plan)
{
	FILE *out = fopen(path, "we");
	int error;

	if (!out)
		return -1;
	error = put_document(out, cookie, plan);
	return fclose(out) || error ? -1 : 0;
}

int sidecar_write(const char *name, uint64_t cookie, const struct plan *plan,
		  struct err *err)
{
	char *path = path_of(name), *fresh = mem_format("%s~", path);
	int result = 0;

	if ((mkdir(FOLDER, 0700) && errno != EEXIST) || chmod(FOLDER, 0700) ||
	    write_file(fresh, cookie, plan) || rename(fresh, path)) {
		result = err_set(err, "The names of the session cannot be kept in %s: %s.", path,
				 strerror(errno));
		unlink(fresh);
	}
	free(fresh);
	free(path);
	return result;
}

void sidecar_remove(const char *name)
{
	char *path = path_of(name);

	unlink(path);
	free(path);
}

/* --- reading ------------------------------------------------------------ */

static struct json_object *member(struct json_object *of, const char *key)
{
	struct json_object *value;

	return of && json_object_object_get_ex(of, key, &value) ? value : NULL;
}

static int is_of(struct json_object *document, uint64_t cookie)
{
	struct json_object *text = member(document, "cookie");

	return text && strtoull(json_object_get_string(text), NULL, 16) == cookie;
}

static void take_formats(struct json_object *text, struct value_formats *formats)
{
	const char *of = text ? json_object_get_string(text) : "";
	size_t i;

	for (i = 0; i < sizeof(formats->of) && of[i]; i++)
		formats->of[i] = of[i] == '-' ? 0 : of[i];
}

static void take_names(struct json_object *document, struct names *names)
{
	struct json_object *list = member(document, "functions"), *function, *name;
	size_t i;

	for (i = 0; list && i < names->nr && i < (size_t)json_object_array_length(list); i++) {
		function = json_object_array_get_idx(list, i);
		name = member(function, "name");
		take_formats(member(function, "values"), &names->formats[i]);
		if (name)
			names->texts[i] = mem_string(json_object_get_string(name));
	}
}

int sidecar_read(const char *name, uint64_t cookie, uint32_t nr_funcs, struct names *names)
{
	char *path = path_of(name);
	struct json_object *document = json_object_from_file(path);
	int is_known = document && is_of(document, cookie);

	names->nr = nr_funcs;
	names->texts = mem_alloc(names->nr * sizeof(*names->texts));
	names->formats = mem_alloc(names->nr * sizeof(*names->formats));
	if (is_known)
		take_names(document, names);
	if (document)
		json_object_put(document);
	free(path);
	return is_known;
}
