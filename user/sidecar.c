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

void sidecar_names_of(const struct plan *plan, struct names *names)
{
	size_t i;

	names->nr = plan->nr_probed;
	names->texts = mem_alloc(names->nr * sizeof(*names->texts));
	for (i = 0; i < names->nr; i++)
		names->texts[i] = mem_string(plan->funcs[i].name);
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

static struct json_object *functions_of(const struct plan *plan)
{
	struct json_object *list = json_object_new_array(), *to;
	const struct plan_func *func;

	for (func = plan->funcs; func < plan->funcs + plan->nr_probed; func++) {
		to = json_object_new_object();
		json_object_object_add(to, "name", json_object_new_string(func->name));
		json_object_object_add(to, "object", json_object_new_int(func->object));
		json_object_object_add(to, "offset", json_object_new_int64(func->desc.start));
		json_object_array_add(list, to);
	}
	return list;
}

static struct json_object *document_of(uint64_t cookie, const struct plan *plan)
{
	struct json_object *document = json_object_new_object();
	char text[17];

	snprintf(text, sizeof(text), "%016llx", (unsigned long long)cookie);
	json_object_object_add(document, "cookie", json_object_new_string(text));
	json_object_object_add(document, "objects", objects_of(plan));
	json_object_object_add(document, "functions", functions_of(plan));
	return document;
}

int sidecar_write(const char *name, uint64_t cookie, const struct plan *plan,
		  struct err *err)
{
	char *path = path_of(name), *fresh = mem_format("%s~", path);
	struct json_object *document = document_of(cookie, plan);
	int result = 0;

	if ((mkdir(FOLDER, 0700) && errno != EEXIST) || chmod(FOLDER, 0700) ||
	    json_object_to_file_ext(fresh, document, JSON_C_TO_STRING_PLAIN) ||
	    rename(fresh, path)) {
		result = err_set(err, "The names of the session cannot be kept in %s: %s.", path,
				 strerror(errno));
		unlink(fresh);
	}
	json_object_put(document);
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

static void take_names(struct json_object *document, struct names *names)
{
	struct json_object *list = member(document, "functions"), *name;
	size_t i;

	for (i = 0; list && i < names->nr && i < (size_t)json_object_array_length(list); i++) {
		name = member(json_object_array_get_idx(list, i), "name");
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
	if (is_known)
		take_names(document, names);
	if (document)
		json_object_put(document);
	free(path);
	return is_known;
}
