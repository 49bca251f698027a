// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "loader.h"
#include "mem.h"

char *loader_of(const char *program, pid_t pid)
{
	struct elf_file file;
	struct err ignored;
	char *path = NULL;

	if (elf_file_open(&file, program, &ignored))
		return NULL;
	if (file.interp && pid)
		path = mem_format("/proc/%d/root%s", (int)pid, file.interp);
	else if (file.interp)
		path = mem_string(file.interp);
	elf_file_close(&file);
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
