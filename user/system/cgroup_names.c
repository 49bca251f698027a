// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/cgroup_names.h"
#include "util/effort.h"
#include "util/lines.h"
#include "util/mem.h"

/* Returns where the hierarchy is mounted, or NULL. The caller frees it. */
static char *find_root(void)
{
	struct lines mounts;
	char *path = NULL;

	lines_open(&mounts, "/proc/self/mountinfo");
	while (!path && lines_next(&mounts))
		if (!strstr(mounts.text, " - cgroup2 ") ||
		    sscanf(mounts.text, "%*u %*u %*s / %ms", &path) != 1)
			path = NULL;
	lines_close(&mounts);
	return path;
}

static void add(struct cgroup_names *names, uint64_t id, uint64_t parent, const char *name)
{
	struct cgroup_name *one;

	names->names = mem_grow(names->names, names->nr, sizeof(*names->names));
	one = &names->names[names->nr++];
	one->id = id;
	one->parent = parent;
	one->name = mem_string(name);
}

/* Adds the groups in a folder. */
static void read_folder(struct cgroup_names *names, int folder, uint64_t id)
{
	int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = again < 0 ? NULL : fdopendir(again);
	struct dirent *entry;

	if (!entries && again >= 0)
		close(again);
	while (entries && !effort_is_spent() && (entry = readdir(entries)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			add(names, entry->d_ino, id, entry->d_name);
	if (entries)
		closedir(entries);
}

#define MAX_DEPTH 4096	/* deeper groups get no name */

/*
 * Returns folder, opened again, or -1. Groups may be nested thousands deep, so only one folder is
 * open at a time, and paths are made for those shown only.
 */
static int read_below(struct cgroup_names *names, int folder, uint64_t id, int depth)
{
	size_t i = names->nr, end;
	int inner;

	read_folder(names, folder, id);
	for (end = names->nr; i < end && depth < MAX_DEPTH && folder >= 0 && !effort_is_spent(); i++) {
		inner = openat(folder, names->names[i].name,
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (inner < 0)
			continue;
		close(folder);
		inner = read_below(names, inner, names->names[i].id, depth + 1);
		folder = openat(inner, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (inner >= 0)
			close(inner);
	}
	return folder;
}

static int compare(const void *a, const void *b)
{
	const struct cgroup_name *x = a, *y = b;

	return x->id == y->id ? 0 : x->id < y->id ? -1 : 1;
}

void cgroup_names_read(struct cgroup_names *names)
{
	char *root = find_root();
	int folder = root ? open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	struct stat file;

	memset(names, 0, sizeof(*names));
	free(root);
	if (folder < 0)
		return;
	if (fstat(folder, &file))
		file.st_ino = 0;
	add(names, file.st_ino, file.st_ino, "");
	folder = read_below(names, folder, file.st_ino, 0);
	if (folder >= 0)
		close(folder);
	qsort(names->names, names->nr, sizeof(*names->names), compare);
}

static struct cgroup_name *find(const struct cgroup_names *names, uint64_t id)
{
	const struct cgroup_name key = { .id = id };

	return names->nr ? bsearch(&key, names->names, names->nr, sizeof(key), compare) : NULL;
}

#define MAX_PATH 4096

static char *make_path(const struct cgroup_names *names, const struct cgroup_name *name)
{
	char text[MAX_PATH], *at = text + sizeof(text) - 1;
	size_t len;

	*at = 0;
	/* The root is its own parent. */
	for (; name && name->parent != name->id; name = find(names, name->parent)) {
		len = strlen(name->name);
		if (len + sizeof("/...") > (size_t)(at - text)) {
			at -= 3;
			memcpy(at, "...", 3);
			break;
		}
		at -= len;
		memcpy(at, name->name, len);
		*--at = '/';
	}
	return mem_string(*at ? at : "/");
}

const char *cgroup_names_path(struct cgroup_names *names, uint64_t id)
{
	struct cgroup_name *name = find(names, id);

	if (name && !name->path)
		name->path = make_path(names, name);
	return name ? name->path : NULL;
}

void cgroup_names_free(struct cgroup_names *names)
{
	while (names->nr) {
		names->nr--;
		free(names->names[names->nr].name);
		free(names->names[names->nr].path);
	}
	free(names->names);
	memset(names, 0, sizeof(*names));
}
