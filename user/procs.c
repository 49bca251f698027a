// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "procs.h"

bool procs_maps(pid_t pid, const char *path)
{
	char *name = mem_format("/proc/%d/maps", (int)pid), *line = NULL, *at;
	FILE *maps = fopen(name, "re");
	bool is_mapped = false;
	size_t len = 0;

	while (maps && !is_mapped && getline(&line, &len, maps) > 0) {
		at = strchr(line, '/');
		if (!at)
			continue;
		at[strcspn(at, "\n")] = 0;
		is_mapped = !strcmp(at, path);
	}
	if (maps)
		fclose(maps);
	free(line);
	free(name);
	return is_mapped;
}

size_t procs_count(const char *path, pid_t *first)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	size_t nr = 0;
	pid_t pid;

	*first = 0;
	while (proc && (entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		pid = atoi(entry->d_name);
		if (!procs_maps(pid, path))
			continue;
		if (!nr++)
			*first = pid;
	}
	if (proc)
		closedir(proc);
	return nr;
}
