// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/cgroup_names.h"
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

static void add(struct cgroup_names *names, uint64_t id, const char *path)
{
	names->names = mem_grow(names->names, names->nr, sizeof(*names->names));
	names->names[names->nr].id = id;
	names->names[names->nr++].path = mem_string(path);
}

/* Closes folder. */
static void read_below(struct cgroup_names *names, int folder, const char *path)
{
	DIR *entries = fdopendir(folder);
	struct dirent *entry;
	char *below;
	int next;

	if (!entries) {
		close(folder);
		return;
	}
	while ((entry = readdir(entries))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		next = openat(dirfd(entries), entry->d_name,
			      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0)
			continue;
		below = mem_format("%s/%s", path, entry->d_name);
		add(names, entry->d_ino, below);
		read_below(names, next, below);
		free(below);
	}
	closedir(entries);
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
	if (!fstat(folder, &file))
		add(names, file.st_ino, "/");
	read_below(names, folder, "");
	qsort(names->names, names->nr, sizeof(*names->names), compare);
}

const char *cgroup_names_path(const struct cgroup_names *names, uint64_t id)
{
	const struct cgroup_name key = { .id = id }, *name = NULL;

	if (names->nr)
		name = bsearch(&key, names->names, names->nr, sizeof(*names->names), compare);
	return name ? name->path : NULL;
}

void cgroup_names_free(struct cgroup_names *names)
{
	while (names->nr)
		free(names->names[--names->nr].path);
	free(names->names);
	memset(names, 0, sizeof(*names));
}
