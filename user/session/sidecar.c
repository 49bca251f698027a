// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "session/sidecar.h"
#include "util/bound.h"
#include "util/mem.h"

#define FOLDER "/run/ktrace"

static char *path_of(const char *name)
{
	return mem_format(FOLDER "/%s", name);
}

/*
 * Locks the folder, so that no other command replaces or removes a file meanwhile. Returns a
 * descriptor, or -1; closing the descriptor unlocks the folder.
 */
static int lock_folder(void)
{
	int fd = open(FOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		flock(fd, LOCK_EX);
	return fd;
}

/* Returns NULL if it is no file: the folder is the user ktrace's, and a pipe would be waited for. */
static FILE *open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	FILE *file;

	if (fd < 0)
		return NULL;
	file = !fstat(fd, &st) && S_ISREG(st.st_mode) ? fdopen(fd, "r") : NULL;
	if (!file)
		close(fd);
	return file;
}

/*
 * Returns NULL if the file is missing or is not JSON. Does not use json_object_from_file(), which
 * prints to standard error before json-c 0.13.
 */
static struct json_object *read_document(const char *path)
{
	struct json_object *document = NULL;
	FILE *file = open_file(path);
	char *text = NULL;
	size_t len = 0;

	if (!file)
		return NULL;
	if (getdelim(&text, &len, 0, file) > 0)
		document = json_tokener_parse(text);
	fclose(file);
	free(text);
	return document;
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

/* Adds device and inode, which identify the file under any path. */
static void add_identity(struct json_object *to, const struct elf_file *file)
{
	struct stat st;

	if (fstat(file->fd, &st))
		return;
	json_object_object_add(to, "dev", json_object_new_int64(st.st_dev));
	json_object_object_add(to, "ino", json_object_new_int64(st.st_ino));
}

/* The first file of a plan is the traced file, the others are its libraries. */
static struct json_object *objects_of(const struct plan *plan)
{
	struct json_object *list = json_object_new_array(), *to;
	size_t i;

	for (i = 0; i < plan->nr_objects; i++) {
		to = json_object_new_object();
		json_object_object_add(to, "path",
				       json_object_new_string(plan->objects[i].path));
		json_object_object_add(to, "build_id", build_id_of(&plan->objects[i]));
		json_object_object_add(to, "is_own", json_object_new_boolean(!i));
		add_identity(to, &plan->objects[i]);
		json_object_array_add(list, to);
	}
	return list;
}

/* Writes, for example, "d-s---x": one character per argument, then one for the result. */
static void put_formats(FILE *out, const struct value_formats *formats)
{
	char text[sizeof(formats->of) + 1] = "";
	size_t i;

	for (i = 0; i < sizeof(formats->of); i++)
		text[i] = formats->of[i] ? formats->of[i] : '-';
	if (text[strspn(text, "-")])
		fprintf(out, ",\"values\":\"%s\"", text);
}

/* Writes a function without a name: a hook, or a silent function, which is not shown. */
static void put_unnamed(FILE *out, const char *mark, unsigned int object)
{
	fprintf(out, "{\"%s\":true,\"object\":%u}", mark, object);
}

static void put_function(FILE *out, const struct plan_func *func, unsigned int object)
{
	struct json_object *name = json_object_new_string(func->name);

	fprintf(out, "{\"name\":%s,\"object\":%u,\"offset\":%llu",
		json_object_to_json_string(name), object,
		(unsigned long long)func->desc.start);
	put_formats(out, &func->formats);
	fputc('}', out);
	json_object_put(name);
}

/* Makes one JSON object at a time: 100000 objects at once would take a kilobyte each. */
static void put_functions(FILE *out, const struct plan *plan, unsigned int first_object)
{
	const struct plan_func *func;

	for (func = plan->funcs; func < plan->funcs + plan->nr_probed; func++) {
		fputs(func == plan->funcs ? "" : ",\n", out);
		if (func->desc.flags & KTRACE_FUNC_HOLD)
			put_unnamed(out, "is_hold", first_object + func->object);
		else if (func->desc.ret == KTRACE_RETURN_SILENT)
			put_unnamed(out, "is_silent", first_object + func->object);
		else
			put_function(out, func, first_object + func->object);
	}
}

/* Of a function whose errors are shown, results are errors. */
static void put_kernel_functions(FILE *out, const struct names *names)
{
	struct json_object *name;
	uint32_t i;

	for (i = 0; i < names->nr; i++) {
		name = json_object_new_string(names->texts[i]);
		fprintf(out, "%s{\"name\":%s%s}", i ? ",\n" : "", json_object_to_json_string(name),
			names_is_fallible(names, i) ? ",\"is_fallible\":true" : "");
		json_object_put(name);
	}
}

static void put_head(FILE *out, uint64_t cookie, struct json_object *origin,
		     struct json_object *objects)
{
	fprintf(out, "{\"cookie\":\"%016llx\",\"origin\":%s,", (unsigned long long)cookie,
		json_object_to_json_string(origin));
	fprintf(out, "\"objects\":%s,\"functions\":[\n", json_object_to_json_string(objects));
}

struct document {
	uint64_t cookie;
	struct json_object *origin, *objects;
	struct json_object *before;	/* functions so far, or NULL */
	uint32_t first;			/* how many of them stay */
	unsigned int first_object;
	const struct plan *plan;	/* user functions; or NULL */
	const struct names *names;	/* kernel functions; or NULL */
};

static void put_before(FILE *out, const struct document *document)
{
	uint32_t i, nr = json_object_array_length(document->before);

	for (i = 0; i < document->first; i++)
		fprintf(out, "%s,\n", i < nr ? json_object_to_json_string(
			json_object_array_get_idx(document->before, i)) : "{}");
}

static int put_document(FILE *out, const struct document *document)
{
	put_head(out, document->cookie, document->origin, document->objects);
	if (document->before)
		put_before(out, document);
	if (document->plan)
		put_functions(out, document->plan, document->first_object);
	if (document->names)
		put_kernel_functions(out, document->names);
	fputs("]}\n", out);
	return fflush(out) || ferror(out) ? -1 : 0;
}

static int write_file(const char *path, const struct document *document)
{
	FILE *out;
	int fd, error;

	/* The folder is the user ktrace's: nothing that was put there is written through. */
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out)
		return -1;
	error = put_document(out, document);
	return fclose(out) || error ? -1 : 0;
}

static int replace_file(const char *path, const struct document *document)
{
	char *fresh = mem_format("%s~", path);
	int lock = lock_folder(), reason = 0;

	if (lock < 0 || write_file(fresh, document) || rename(fresh, path)) {
		reason = errno ? errno : EIO;
		unlink(fresh);
	}
	if (lock >= 0)
		close(lock);
	free(fresh);
	return reason;
}

/* Replaces the file as a whole, or leaves it unchanged and sets err. */
static int write_document(const char *path, const struct document *document, struct err *err)
{
	int reason;

	if ((mkdir(FOLDER, 0700) && errno != EEXIST) || chmod(FOLDER, 0700))
		reason = errno;
	else
		reason = replace_file(path, document);
	return reason ? err_set(err, "The options of the session, and the names of its functions, cannot be written to %s: %s.", path,
				strerror(reason)) : 0;
}

static int write_new(const char *name, struct document *document, struct err *err)
{
	char *path = path_of(name);
	int result = write_document(path, document, err);

	json_object_put(document->origin);
	json_object_put(document->objects);
	free(path);
	return result;
}

int sidecar_write(const char *name, uint64_t cookie, const struct plan *plan,
		  const struct origin *origin, struct err *err)
{
	struct document document = {
		.cookie = cookie, .origin = origin_to_json(origin), .objects = objects_of(plan),
		.plan = plan,
	};

	return write_new(name, &document, err);
}

int sidecar_write_kernel(const char *name, uint64_t cookie, const struct names *names,
			 const struct origin *origin, struct err *err)
{
	struct document document = {
		.cookie = cookie, .origin = origin_to_json(origin),
		.objects = json_object_new_array(), .names = names,
	};

	return write_new(name, &document, err);
}

/* --- reading ------------------------------------------------------------ */

static struct json_object *member(struct json_object *of, const char *key)
{
	struct json_object *value;

	return of && json_object_object_get_ex(of, key, &value) ? value : NULL;
}

static struct json_object *list_of(struct json_object *of, const char *key)
{
	struct json_object *list = member(of, key);

	return list && json_object_is_type(list, json_type_array) ? list : NULL;
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

static void take_fallible(struct names *names, size_t i)
{
	if (!names->are_fallible)
		names->are_fallible = mem_alloc(names->nr * sizeof(*names->are_fallible));
	names->are_fallible[i] = true;
}

static void take_names(struct json_object *list, struct names *names)
{
	struct json_object *function, *name;
	size_t i;

	for (i = 0; i < names->nr && i < (size_t)json_object_array_length(list); i++) {
		function = json_object_array_get_idx(list, i);
		name = member(function, "name");
		take_formats(member(function, "values"), &names->formats[i]);
		if (name)
			names->texts[i] = mem_string(json_object_get_string(name));
		if (json_object_get_boolean(member(function, "is_fallible")))
			take_fallible(names, i);
	}
}

/* A newer session may have the same name; its file stays. */
void sidecar_remove(const char *name, uint64_t cookie)
{
	char *path = path_of(name);
	int lock = lock_folder();
	struct json_object *document = read_document(path);

	/* A file that is not JSON belongs to no session. */
	if (!document || is_of(document, cookie))
		unlink(path);
	if (document)
		json_object_put(document);
	if (lock >= 0)
		close(lock);
	free(path);
}

/* --- changing ----------------------------------------------------------- */

/* A named function. The array is sorted by offset, then by number. */
struct place {
	const char *build_id, *path;
	uint64_t offset;
	uint32_t func;
};

struct sidecar {
	char *path;
	uint64_t cookie;
	struct json_object *document, *functions, *objects;
	struct place *places;
	size_t nr_places;
};

static const char *text_of(struct json_object *of, const char *key)
{
	struct json_object *text = member(of, key);

	return text ? json_object_get_string(text) : NULL;
}

static uint64_t number_of(struct json_object *of, const char *key)
{
	struct json_object *number = member(of, key);

	return number ? json_object_get_int64(number) : 0;
}

static int by_offset(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->func < y->func ? -1 : x->func > y->func;
}

static void index_places(struct sidecar *sidecar)
{
	size_t i, nr = json_object_array_length(sidecar->functions);
	struct json_object *function, *object;
	struct place *place;

	sidecar->places = mem_alloc((nr + 1) * sizeof(*sidecar->places));
	for (i = 0; i < nr; i++) {
		function = json_object_array_get_idx(sidecar->functions, i);
		if (!member(function, "name"))
			continue;
		object = json_object_array_get_idx(sidecar->objects,
						   number_of(function, "object"));
		place = &sidecar->places[sidecar->nr_places++];
		place->build_id = text_of(object, "build_id");
		place->path = text_of(object, "path");
		place->offset = number_of(function, "offset");
		place->func = i;
	}
	qsort(sidecar->places, sidecar->nr_places, sizeof(*sidecar->places), by_offset);
}

struct sidecar *sidecar_open(const char *name, uint64_t cookie)
{
	struct sidecar *sidecar = mem_alloc(sizeof(*sidecar));

	sidecar->path = path_of(name);
	sidecar->cookie = cookie;
	sidecar->document = read_document(sidecar->path);
	sidecar->functions = list_of(sidecar->document, "functions");
	sidecar->objects = list_of(sidecar->document, "objects");
	if (sidecar->document && is_of(sidecar->document, cookie) && sidecar->functions &&
	    sidecar->objects)
		return sidecar;
	sidecar_close(sidecar);
	return NULL;
}

void sidecar_close(struct sidecar *sidecar)
{
	if (!sidecar)
		return;
	if (sidecar->document)
		json_object_put(sidecar->document);
	free(sidecar->places);
	free(sidecar->path);
	free(sidecar);
}

int sidecar_read(const char *name, uint64_t cookie, uint32_t nr_funcs, struct names *names)
{
	struct sidecar *sidecar = sidecar_open(name, cookie);
	bool is_known = sidecar;

	memset(names, 0, sizeof(*names));
	names->nr = nr_funcs;
	names->texts = mem_alloc(names->nr * sizeof(*names->texts));
	names->formats = mem_alloc(names->nr * sizeof(*names->formats));
	if (sidecar)
		take_names(sidecar->functions, names);
	sidecar_close(sidecar);
	return is_known;
}

void sidecar_origin(const struct sidecar *sidecar, struct origin *origin)
{
	origin_from_json(origin, member(sidecar->document, "origin"));
}

static void tell_file(const struct sidecar *sidecar, size_t number, bool is_hold,
		      sidecar_file_fn fn, void *arg)
{
	struct json_object *object = json_object_array_get_idx(sidecar->objects, number);
	struct sidecar_file file = {
		.path = text_of(object, "path"),
		.dev = number_of(object, "dev"), .ino = number_of(object, "ino"),
		.is_own = json_object_get_boolean(member(object, "is_own")),
		.is_hold = is_hold,
	};

	if (file.path)
		fn(arg, &file);
}

/* A command that died before its commit may have left functions with higher numbers. */
void sidecar_each_file(const struct sidecar *sidecar, uint32_t nr_funcs, sidecar_file_fn fn,
		       void *arg)
{
	size_t nr = json_object_array_length(sidecar->objects), object, i;
	bool *is_told = mem_alloc(nr + 1), is_hold;
	struct json_object *function;

	for (i = 0; i < nr_funcs && i < (size_t)json_object_array_length(sidecar->functions); i++) {
		function = json_object_array_get_idx(sidecar->functions, i);
		object = number_of(function, "object");
		is_hold = json_object_get_boolean(member(function, "is_hold"));
		if (object >= nr || is_told[object])
			continue;
		is_told[object] = true;
		tell_file(sidecar, object, is_hold, fn, arg);
	}
	free(is_told);
}

const char *sidecar_name(const struct sidecar *sidecar, uint32_t func)
{
	if (func >= (size_t)json_object_array_length(sidecar->functions))
		return NULL;
	return text_of(json_object_array_get_idx(sidecar->functions, func), "name");
}

static bool is_in(const struct place *place, const struct elf_file *file, const char *build_id)
{
	if (*build_id || (place->build_id && *place->build_id))
		return place->build_id && !strcmp(place->build_id, build_id);
	return place->path && !strcmp(place->path, file->path);
}

int64_t sidecar_find(struct sidecar *sidecar, uint32_t nr_funcs, const struct elf_file *file,
		     uint64_t offset)
{
	struct json_object *build_id = build_id_of(file);
	const struct place *place;
	int64_t func = -1;

	if (!sidecar->places)
		index_places(sidecar);
	place = sidecar->places + BOUND(sidecar->nr_places, i, sidecar->places[i].offset < offset);
	for (; place < sidecar->places + sidecar->nr_places && place->offset == offset; place++)
		if (func < 0 && place->func < nr_funcs &&
		    is_in(place, file, json_object_get_string(build_id)))
			func = place->func;
	json_object_put(build_id);
	return func;
}

static struct json_object *both(struct json_object *before, const struct plan *plan)
{
	struct json_object *list = objects_of(plan), *all = json_object_new_array();
	size_t i;

	for (i = 0; i < (size_t)json_object_array_length(before); i++)
		json_object_array_add(all, json_object_get(json_object_array_get_idx(before, i)));
	for (i = 0; i < (size_t)json_object_array_length(list); i++)
		json_object_array_add(all, json_object_get(json_object_array_get_idx(list, i)));
	json_object_put(list);
	return all;
}

int sidecar_append(const struct sidecar *sidecar, const struct plan *plan, uint32_t first,
		   struct err *err)
{
	struct document document = {
		.cookie = sidecar->cookie,
		.origin = member(sidecar->document, "origin"),
		.objects = both(sidecar->objects, plan),
		.before = sidecar->functions,
		.first = first,
		.first_object = json_object_array_length(sidecar->objects),
		.plan = plan,
	};
	int result = write_document(sidecar->path, &document, err);

	json_object_put(document.objects);
	return result;
}
