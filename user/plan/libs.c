// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "plan/libs.h"
#include "system/linkmap.h"
#include "system/maps.h"
#include "system/server.h"
#include "util/mem.h"
#include "util/root.h"

void libs_add(struct libs *libs, int fd, const struct stat *st, char *file, const char *name)
{
	libs->all = mem_grow(libs->all, libs->nr, sizeof(*libs->all));
	libs->all[libs->nr].fd = fd;
	libs->all[libs->nr].is_silent = false;
	libs->all[libs->nr].dev = st->st_dev;
	libs->all[libs->nr].ino = st->st_ino;
	libs->all[libs->nr].file = file;
	libs->all[libs->nr++].name = mem_string(name);
}

void libs_free(struct libs *libs)
{
	while (libs->nr) {
		libs->nr--;
		if (libs->all[libs->nr].fd >= 0)
			close(libs->all[libs->nr].fd);
		free(libs->all[libs->nr].file);
		free(libs->all[libs->nr].name);
	}
	free(libs->all);
	libs->all = NULL;
}

/* --- libraries of a process --------------------------------------------- */

struct process {
	struct maps maps;
	struct stat program;
	struct libs *libs;
	uint64_t silent_dev;	/* a file system that did not answer, or 0 */
};

static bool is_known(const struct process *process, const struct stat *st)
{
	const struct lib *lib = process->libs->all, *end = lib + process->libs->nr;

	while (lib < end && (lib->dev != st->st_dev || lib->ino != st->st_ino))
		lib++;
	return lib < end ||
	       (st->st_dev == process->program.st_dev && st->st_ino == process->program.st_ino);
}

/* A library that cannot be opened is added without a descriptor, so that the lack is reported. */
static void add_mapping(struct process *process, const struct mapping *mapping, const char *name)
{
	char *path = maps_file(&process->maps, mapping);
	bool silent = server_is_silent(&process->silent_dev, process->maps.pid, mapping->dev, path);
	bool is_lib;
	struct stat st;
	int fd = silent ? -1 : root_open(ROOT_OWN, path, &st);

	is_lib = fd >= 0 || ((silent || errno == EMFILE || errno == ENFILE) &&
			     !root_look(path, &st));
	if (is_lib && !is_known(process, &st)) {
		libs_add(process->libs, fd, &st, path, name);
		process->libs->all[process->libs->nr - 1].is_silent = silent;
		return;
	}
	if (fd >= 0)
		close(fd);
	free(path);
}

void libs_of_process(const struct elf_file *file, pid_t pid, struct libs *libs)
{
	struct process process = { .libs = libs };
	const struct maps *maps = &process.maps;
	const struct mapping *mapping;
	struct link *links;
	size_t nr, i;

	if (fstat(file->fd, &process.program))
		return;
	nr = linkmap_read(pid, &links);
	maps_read(&process.maps, pid);
	/* The loader's list is empty if the loader has not run yet. */
	for (i = 0; i < nr; i++) {
		mapping = maps_find(maps, links[i].dynamic);
		if (mapping && *links[i].name)
			add_mapping(&process, mapping, links[i].name);
	}
	for (i = 0; i < maps->nr; i++)
		if (maps->all[i].is_code)
			add_mapping(&process, &maps->all[i], maps->all[i].path);
	maps_free(&process.maps);
	linkmap_free(links, nr);
}
