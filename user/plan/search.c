// SPDX-License-Identifier: GPL-2.0
/*
 * Searches like glibc's _dl_map_object(): a library is the loaded file with this name, or else the
 * first file found in RPATH, LD_LIBRARY_PATH, RUNPATH, the cache of ldconfig, and the system's
 * folders. RPATH is that of the file that needs the library and of the files that loaded this file
 * in turn; it is ignored if the file has a RUNPATH. The walk is breadth first. The files are not
 * trusted: only bounded parts of them are read.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/dynamic.h"
#include "plan/folders.h"
#include "plan/ldcache.h"
#include "plan/search.h"
#include "util/effort.h"
#include "util/mem.h"
#include "util/root.h"

#define MAX_STEPS (1UL << 17)	/* names looked up, files and folders tried */
#define MAX_OBJECTS 4096
#define MAX_NAMES (2 * MAX_OBJECTS)
#define MAX_PRELOAD 65536
#define LETTERS_PER_STEP 128
#define NONE SIZE_MAX
#define PROGRAM 0

struct object {
	char *name;		/* the path that was opened */
	char *origin;		/* the folder of name */
	struct dynamic dynamic;
	struct folders rpath, runpath;
	bool is_split;		/* rpath and runpath are filled */
	size_t loader;		/* index of the object that needed it first */
	dev_t dev;
	ino_t ino;
	int fd;			/* -1 once the object is listed */
	bool is_listed;
};

struct known_name {
	char *name;
	size_t object;
};

struct search {
	struct libs *libs;
	int root;
	const char *prefix;	/* begins with the path of root, "/proc/PID/root" */
	int prefix_len;		/* the length of this path; 0 for ROOT_OWN */
	bool has_no_environment;	/* the loader does not see this process's LD_* variables */
	struct object *objects;
	size_t nr_objects;
	struct known_name *names;
	size_t nr_names;
	size_t *order;		/* the listed objects, the program first */
	size_t nr_ordered;
	struct folders environment, defaults;
	struct ldcache cache;
	char *lib;		/* $LIB */
	size_t nr_left;		/* remaining steps */
	bool is_short;		/* no descriptor was left in the search for the last library */
};

static bool step(struct search *search)
{
	if (!search->nr_left || effort_is_spent())
		return false;
	search->nr_left--;
	return true;
}

/* --- objects ------------------------------------------------------------ */

static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !slash ? mem_string(".") : slash == path ? mem_string("/") :
	       mem_format("%.*s", (int)(slash - path), path);
}

static size_t find_file(const struct search *search, const struct stat *st)
{
	size_t i;

	for (i = 0; i < search->nr_objects; i++)
		if (search->objects[i].dev == st->st_dev && search->objects[i].ino == st->st_ino)
			return i;
	return NONE;
}

/* Names cost a step each, long ones more: they are kept. */
static void pay(struct search *search, const struct dynamic *dynamic)
{
	size_t steps = dynamic->nr_letters / LETTERS_PER_STEP + dynamic->nr_needed;

	search->nr_left -= steps < search->nr_left ? steps : search->nr_left;
}

/* Takes ownership of fd and dynamic. */
static size_t add_object(struct search *search, size_t loader, const char *name, int fd,
			 const struct stat *st, const struct dynamic *dynamic)
{
	struct object *object;

	search->objects = mem_grow(search->objects, search->nr_objects, sizeof(*object));
	object = &search->objects[search->nr_objects];
	object->name = mem_string(name);
	object->origin = folder_of(name);
	object->dynamic = *dynamic;
	object->loader = loader;
	object->dev = st->st_dev;
	object->ino = st->st_ino;
	object->fd = fd;
	if (search->nr_objects == MAX_OBJECTS)
		search->nr_left = 0;
	pay(search, dynamic);
	return search->nr_objects++;
}

/* Returns the object of the file, or NONE if it is not a library for this machine. */
static size_t load(struct search *search, size_t loader, const char *path)
{
	struct dynamic dynamic;
	struct stat st;
	size_t found;
	int fd;

	if (!step(search))
		return NONE;
	fd = root_open(search->root, path, &st);
	if (fd < 0) {
		search->is_short |= errno == EMFILE || errno == ENFILE;
		return NONE;
	}
	found = find_file(search, &st);
	if (found == NONE && dynamic_read(&dynamic, fd))
		return add_object(search, loader, path, fd, &st, &dynamic);
	close(fd);
	return found;
}

static void free_objects(struct search *search)
{
	struct object *object;

	while (search->nr_objects) {
		object = &search->objects[--search->nr_objects];
		if (object->fd >= 0)
			close(object->fd);
		dynamic_free(&object->dynamic);
		folders_free(&object->rpath);
		folders_free(&object->runpath);
		free(object->origin);
		free(object->name);
	}
	free(search->objects);
}

/* --- names -------------------------------------------------------------- */

static void name_object(struct search *search, const char *name, size_t object)
{
	search->names = mem_grow(search->names, search->nr_names, sizeof(*search->names));
	search->names[search->nr_names].name = mem_string(name);
	search->names[search->nr_names++].object = object;
	if (search->nr_names == MAX_NAMES)
		search->nr_left = 0;
}

static size_t find_name(const struct search *search, const char *name)
{
	const char *soname;
	size_t i;

	for (i = 0; i < search->nr_names; i++)
		if (!strcmp(search->names[i].name, name))
			return search->names[i].object;
	for (i = 0; i < search->nr_objects; i++) {
		soname = search->objects[i].dynamic.soname;
		if (soname && !strcmp(soname, name))
			return i;
	}
	return NONE;
}

static void free_names(struct search *search)
{
	while (search->nr_names)
		free(search->names[--search->nr_names].name);
	free(search->names);
}

/* --- one library -------------------------------------------------------- */

static struct tokens tokens_of(const struct search *search, size_t object)
{
	return (struct tokens){ .origin = search->objects[object].origin, .lib = search->lib };
}

static void split(struct search *search, size_t index)
{
	struct object *object = &search->objects[index];
	struct tokens tokens = tokens_of(search, index);

	if (object->is_split)
		return;
	object->is_split = true;
	if (object->dynamic.rpath)
		folders_add(&object->rpath, object->dynamic.rpath, ":", &tokens, search->root,
			    &search->nr_left);
	if (object->dynamic.runpath)
		folders_add(&object->runpath, object->dynamic.runpath, ":", &tokens, search->root,
			    &search->nr_left);
}

/* folders is a copy: load() may move the array of objects. */
static size_t load_from(struct search *search, size_t loader, struct folders folders,
			const char *name)
{
	size_t found = NONE, i;
	char *path;

	for (i = 0; i < folders.nr && found == NONE; i++) {
		path = mem_format("%s/%s", folders.all[i], name);
		found = load(search, loader, path);
		free(path);
	}
	return found;
}

static size_t load_by_rpath(struct search *search, size_t loader, const char *name)
{
	size_t found = NONE, object = loader;

	while (!search->objects[loader].dynamic.runpath && found == NONE) {
		split(search, object);
		found = load_from(search, loader, search->objects[object].rpath, name);
		if (object == PROGRAM)
			break;
		object = search->objects[object].loader;
	}
	return found;
}

/* The folder of the library in the cache may have versions of it in folders of glibc-hwcaps. */
static size_t load_by_cache(struct search *search, size_t loader, const char *name)
{
	const char *path = ldcache_find(&search->cache, name, &search->nr_left);
	struct tokens none = { NULL, NULL };
	struct folders folders = { NULL, 0 };
	char *folder;
	size_t found;

	if (!path)
		return NONE;
	folder = folder_of(path);
	folders_add(&folders, folder, "", &none, search->root, &search->nr_left);
	found = load_from(search, loader, folders, name);
	folders_free(&folders);
	free(folder);
	return found == NONE ? load(search, loader, path) : found;
}

static size_t load_by_system(struct search *search, size_t loader, const char *name)
{
	size_t found;

	if (search->objects[loader].dynamic.has_no_default)
		return NONE;
	found = load_by_cache(search, loader, name);
	return found == NONE ? load_from(search, loader, search->defaults, name) : found;
}

static size_t load_by_name(struct search *search, size_t loader, const char *name)
{
	size_t found;

	if (strchr(name, '/'))
		return load(search, loader, name);
	split(search, loader);
	found = load_by_rpath(search, loader, name);
	if (found == NONE)
		found = load_from(search, loader, search->environment, name);
	if (found == NONE)
		found = load_from(search, loader, search->objects[loader].runpath, name);
	return found == NONE ? load_by_system(search, loader, name) : found;
}

static size_t find(struct search *search, size_t loader, const char *name)
{
	size_t found;

	if (!step(search))
		return NONE;
	found = find_name(search, name);
	if (found != NONE)
		return found;
	found = load_by_name(search, loader, name);
	if (found != NONE)
		name_object(search, name, found);
	return found;
}

/* --- all libraries ------------------------------------------------------ */

static void list(struct search *search, size_t index)
{
	struct object *object = &search->objects[index];
	struct stat st = { .st_dev = object->dev, .st_ino = object->ino };

	if (object->is_listed)
		return;
	object->is_listed = true;
	search->order = mem_grow(search->order, search->nr_ordered, sizeof(*search->order));
	search->order[search->nr_ordered++] = index;
	if (index == PROGRAM)
		return;
	libs_add(search->libs, object->fd, &st,
		 mem_format("%.*s%s", search->prefix_len, search->prefix, object->name),
		 object->name);
	object->fd = -1;
}

static void list_unopened(struct search *search, const char *name)
{
	static const struct stat none;

	libs_add(search->libs, -1, &none, mem_string(name), name);
}

static void need(struct search *search, size_t loader, const char *text)
{
	struct tokens tokens = tokens_of(search, loader);
	char *name = folders_expand(text, &tokens);
	size_t found;

	if (!name)
		return;
	search->is_short = false;
	found = *name ? find(search, loader, name) : NONE;
	if (found != NONE)
		list(search, found);
	else if (search->is_short)
		list_unopened(search, name);
	free(name);
}

static void need_all(struct search *search, const char *names, const char *separators)
{
	char *copy = mem_string(names), *rest = copy, *name;

	while (search->nr_left && (name = strsep(&rest, separators)))
		if (*name)
			need(search, PROGRAM, name);
	free(copy);
}

/* The file has names, and comments from a '#' to the end of the line. */
static void need_system_preloads(struct search *search)
{
	char text[MAX_PRELOAD + 1] = "", *comment;
	struct stat st;
	int fd = root_open(search->root, "/etc/ld.so.preload", &st);
	ssize_t len;

	if (fd < 0)
		return;
	len = pread(fd, text, MAX_PRELOAD, 0);
	close(fd);
	text[len > 0 ? len : 0] = 0;
	while ((comment = strchr(text, '#')))
		memset(comment, ' ', strcspn(comment, "\n"));
	need_all(search, text, " \t\n:");
}

static void walk(struct search *search)
{
	size_t at, object, i;

	for (at = 0; at < search->nr_ordered; at++) {
		object = search->order[at];
		for (i = 0; i < search->objects[object].dynamic.nr_needed; i++)
			need(search, object, search->objects[object].dynamic.needed[i]);
	}
}

/* --- begin and end ------------------------------------------------------ */

static bool is_below(const char *path, const char *folder)
{
	return !strncmp(path, folder, strlen(folder));
}

/*
 * The folder of the loader gives $LIB, for example "lib/x86_64-linux-gnu", below / and /usr. A
 * loader outside /lib and /usr/lib has its libraries in its own folder.
 */
static void find_defaults(struct search *search, int loader)
{
	struct tokens none = { NULL, NULL };
	char path[PATH_MAX], *folder, *list;

	if (root_path(search->root, loader, path))
		return;
	folder = folder_of(path);
	if (is_below(folder, "/lib") || is_below(folder, "/usr/lib")) {
		search->lib = mem_string(folder + (is_below(folder, "/usr/") ? 5 : 1));
		list = mem_format("/%s:/usr/%s:/lib:/usr/lib", search->lib, search->lib);
	} else {
		search->lib = mem_string("lib");
		list = mem_string(folder);
	}
	folders_add(&search->defaults, list, ":", &none, search->root, &search->nr_left);
	free(list);
	free(folder);
}

static bool open_program(struct search *search, const struct elf_file *file)
{
	char path[PATH_MAX];
	struct dynamic dynamic;
	struct stat st;

	if (fstat(file->fd, &st) || root_path(search->root, file->fd, path) ||
	    !dynamic_read(&dynamic, file->fd))
		return false;
	/* A setuid or setgid program, or one of a container. */
	search->has_no_environment = (st.st_mode & (S_ISUID | S_ISGID)) ||
				     search->root != ROOT_OWN;
	list(search, add_object(search, PROGRAM, path, -1, &st, &dynamic));
	return true;
}

/* Adds the loader as an object. It is listed later, if a file needs it. */
static bool open_loader(struct search *search, const char *interp)
{
	size_t loader = load(search, PROGRAM, interp);

	if (loader == NONE) {
		if (search->is_short)
			list_unopened(search, "any library");
		return false;
	}
	if (loader == PROGRAM)
		return false;
	name_object(search, interp, loader);
	find_defaults(search, search->objects[loader].fd);
	return true;
}

static void read_environment(struct search *search)
{
	const char *path = getenv("LD_LIBRARY_PATH");
	struct tokens tokens = tokens_of(search, PROGRAM);

	if (path && !search->has_no_environment)
		folders_add(&search->environment, path, ":;", &tokens, search->root,
			    &search->nr_left);
}

static void search_all(struct search *search, const struct elf_file *file)
{
	const char *preloads = getenv("LD_PRELOAD");

	if (!open_program(search, file) || !open_loader(search, file->interp))
		return;
	ldcache_read(&search->cache, search->root);
	read_environment(search);
	if (preloads && !search->has_no_environment)
		need_all(search, preloads, " :");
	need_system_preloads(search);
	walk(search);
}

int search_libs(const struct elf_file *file, struct libs *libs, struct err *err)
{
	struct search search = { .libs = libs, .nr_left = MAX_STEPS };
	const char *path;

	if (!file->interp)
		return 0;
	search.root = root_of_path(file->path, &path);
	search.prefix = file->path;
	search.prefix_len = path - file->path;
	if (search.root != -1)
		search_all(&search, file);
	root_close(search.root);
	ldcache_free(&search.cache);
	folders_free(&search.environment);
	folders_free(&search.defaults);
	free_names(&search);
	free_objects(&search);
	free(search.order);
	free(search.lib);
	if (search.nr_left)
		return 0;
	return err_set(err, "%s and its libraries name too many files: more than %lu names and folders would have to be looked up; exclude libraries with --no-lib.",
		       file->path, MAX_STEPS);
}
