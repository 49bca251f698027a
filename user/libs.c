// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <grp.h>
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
#include "nofile.h"

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

/* NULL: it has none, as of the vdso, which is no file. */
static char *path_in(char *line)
{
	char *path = strstr(line, " => "), *end = strstr(line, " (0x");

	path = path ? path + 4 : line + (*line == '\t');
	if (!end || end < path || !memchr(path, '/', end - path))
		return NULL;
	*end = 0;
	return path;
}

/* "\tlibc.so.6 => /lib/libc.so.6 (0x...)" or "\t./libfoo.so (0x...)" */
static void read_listing(FILE *listing, struct list *list)
{
	char *line = NULL, *path;
	size_t len = 0;

	while (getline(&line, &len, listing) > 0) {
		path = path_in(line);
		if (path)
			add(list, mem_string(path), path);
	}
	free(line);
}

/* Only the system's own is run: a file may name anything as its interpreter. */
static bool find_loader(const char *interp, char path[PATH_MAX])
{
	struct stat st;

	if (!realpath(interp, path) || stat(path, &st) || st.st_uid || (st.st_mode & 022))
		return false;
	return (!strncmp(path, "/lib", 4) || !strncmp(path, "/usr/lib", 8)) &&
	       !strncmp(strrchr(path, '/') + 1, "ld-", 3);
}

/* The loader runs what the file names as its auditor: root must not, of another's file. */
static bool become_owner(const struct elf_file *file)
{
	struct stat st;

	if (geteuid())
		return true;
	return !fstat(file->fd, &st) &&
	       (!st.st_uid ||
		(!setgroups(0, NULL) && !setresgid(st.st_gid, st.st_gid, st.st_gid) &&
		 !setresuid(st.st_uid, st.st_uid, st.st_uid)));
}

static void run_loader(const char *loader, const struct elf_file *file, int out)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null >= 0 && dup2(null, STDERR_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
	    become_owner(file)) {
		nofile_restore();
		execl(loader, loader, "--list", file->path, (char *)NULL);
	}
	_exit(127);
}

static void ask_loader(const struct elf_file *file, struct list *list)
{
	char loader[PATH_MAX];
	FILE *listing;
	int fds[2];
	pid_t child;

	if (!file->interp || !find_loader(file->interp, loader) || pipe2(fds, O_CLOEXEC))
		return;
	child = fork();
	if (!child)
		run_loader(loader, file, fds[1]);
	close(fds[1]);
	listing = fdopen(fds[0], "r");
	if (listing) {
		read_listing(listing, list);
		fclose(listing);
	}
	if (child > 0)
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
