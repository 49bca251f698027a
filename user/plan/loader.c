// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "plan/loader.h"
#include "system/linkmap.h"
#include "system/maps.h"
#include "util/mem.h"

char *loader_of_program(const char *program)
{
	struct elf_file file;
	struct err ignored;
	char *path = NULL;

	if (elf_file_open(&file, program, &ignored))
		return NULL;
	if (file.interp)
		path = mem_string(file.interp);
	elf_file_close(&file);
	return path;
}

/*
 * Does not open the path that the program names: for a process in another root, this path may be
 * another file here.
 */
char *loader_of_process(pid_t pid)
{
	const struct mapping *mapping;
	struct maps maps;
	char *path = NULL;
	uint64_t at = linkmap_loader(pid);

	maps_read(&maps, pid);
	mapping = at ? maps_find(&maps, at) : NULL;
	if (mapping)
		path = maps_file(&maps, mapping);
	maps_free(&maps);
	return path;
}

bool loader_find_hook(const struct elf_file *loader, uint64_t *offset)
{
	size_t i;

	for (i = 0; i < loader->nr_syms; i++)
		if (!strcmp(loader->syms[i].name, LOADER_HOOK))
			return elf_file_offset(loader, loader->syms[i].addr, offset);
	return false;
}
