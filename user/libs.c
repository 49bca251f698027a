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
#include "mem.h"

extern char **environ;

struct list {
	char **paths;
	size_t nr;
};

static void add(struct list *list, const char *path)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		if (!strcmp(list->paths[i], path))
			return;
	list->paths = mem_grow(list->paths, list->nr, sizeof(*list->paths));
	list->paths[list->nr++] = mem_string(path);
}

/* Mapped code of a process. Its order is that of addresses, the last loaded first. */
static void read_maps(pid_t pid, struct list *list)
{
	char *name = mem_format("/proc/%d/maps", (int)pid), *line = NULL, *path;
	FILE *maps = fopen(name, "re");
	char perms[5];
	size_t len = 0;

	while (maps && getline(&line, &len, maps) > 0) {
		path = strchr(line, '/');
		if (!path || sscanf(line, "%*s %4s", perms) != 1 || perms[2] != 'x')
			continue;
		path[strcspn(path, "\n")] = 0;
		if (!strstr(path, " (deleted)"))
			add(list, path);
	}
	if (maps)
		fclose(maps);
	free(line);
	free(name);
}

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
		add(list, path);
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

size_t libs_of(const struct elf_file *file, pid_t pid, char ***paths)
{
	struct list list = { NULL, 0 };

	ask_loader(file, &list);
	if (pid)
		read_maps(pid, &list);
	*paths = list.paths;
	return list.nr;
}
