// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <limits.h>
#include <stdlib.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libs.h"
#include "linkmap.h"
#include "maps.h"
#include "mem.h"

extern char **environ;

struct list {
	struct lib *libs;
	size_t nr;
};

static void add(struct list *list, char *file, const char *name)
{
	list->libs = mem_grow(list->libs, list->nr, sizeof(*list->libs));
	list->libs[list->nr].file = file;
	list->libs[list->nr++].name = mem_string(name);
}

/* --- of a process ------------------------------------------------------- */

/* First what its loader lists, then what else has code, as of a loader that has not run yet. */
static void read_process(pid_t pid, struct list *list)
{
	const struct mapping *mapping;
	struct link *links;
	struct maps maps;
	size_t nr = linkmap_read(pid, &links), i;

	maps_read(&maps, pid);
	for (i = 0; i < nr; i++) {
		mapping = maps_find(&maps, links[i].dynamic);
		if (mapping && *links[i].name)
			add(list, maps_file(&maps, mapping), links[i].name);
	}
	for (i = 0; i < maps.nr; i++)
		if (maps.all[i].is_code)
			add(list, maps_file(&maps, &maps.all[i]), maps.all[i].path);
	maps_free(&maps);
	linkmap_free(links, nr);
}

/* --- of a file ---------------------------------------------------------- */

/* "\tlibc.so.6 => /lib/libc.so.6 (0x...)" or "\t/lib/ld.so (0x...)" */
static void read_listing(FILE *listing, struct list *list)
{
	char *line = NULL, *path, *end;
	size_t len = 0;

	while (getline(&line, &len, listing) > 0) {
		path = strchr(line, '/');
		end = strstr(line, " (0x");
		if (!path || !end || end < path)
			continue;
		*end = 0;
		add(list, mem_string(path), path);
	}
	free(line);
}

/* Only the system's own is run: a file may name anything as its interpreter. */
static bool is_loader(const char *interp)
{
	char path[PATH_MAX];
	struct stat st;

	if (!realpath(interp, path) || stat(path, &st) || st.st_uid || (st.st_mode & 022))
		return false;
	return (!strncmp(path, "/lib", 4) || !strncmp(path, "/usr/lib", 8)) &&
	       !strncmp(strrchr(path, '/') + 1, "ld-", 3);
}

static void ask_loader(const struct elf_file *file, struct list *list)
{
	char *argv[] = { (char *)file->interp, "--list", file->path, NULL };
	posix_spawn_file_actions_t actions;
	int fds[2], error;
	FILE *listing;
	pid_t child;

	if (!file->interp || !is_loader(file->interp) || pipe2(fds, O_CLOEXEC))
		return;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	error = posix_spawn(&child, file->interp, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	listing = fdopen(fds[0], "r");
	if (!error && listing)
		read_listing(listing, list);
	if (listing)
		fclose(listing);
	if (!error)
		waitpid(child, NULL, 0);
}

size_t libs_of(const struct elf_file *file, pid_t pid, struct lib **libs)
{
	struct list list = { NULL, 0 };

	if (pid)
		read_process(pid, &list);
	else
		ask_loader(file, &list);
	*libs = list.libs;
	return list.nr;
}

void libs_free(struct lib *libs, size_t nr)
{
	while (nr) {
		free(libs[--nr].file);
		free(libs[nr].name);
	}
	free(libs);
}
