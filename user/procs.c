// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mem.h"
#include "procs.h"

/* A mapping's file itself, whatever its path is by now; the path where the kernel hides it. */
static bool is_mapping_of(pid_t pid, const char *range, const char *mapped, const char *path,
			  const struct stat *file)
{
	char *name = mem_format("/proc/%d/map_files/%s", (int)pid, range);
	struct stat st;
	bool is_same;

	if (stat(name, &st))
		is_same = !strcmp(mapped, path);
	else
		is_same = st.st_dev == file->st_dev && st.st_ino == file->st_ino;
	free(name);
	return is_same;
}

bool procs_is_alive(pid_t pid)
{
	char *folder = mem_format("/proc/%d", (int)pid);
	bool is_alive = !access(folder, F_OK);

	free(folder);
	return is_alive;
}

bool procs_maps(pid_t pid, const char *path)
{
	char *name = mem_format("/proc/%d/maps", (int)pid), *line = NULL, *at;
	char range[64], perms[5];
	FILE *maps = fopen(name, "re");
	bool is_mapped = false;
	struct stat file;
	size_t len = 0;

	if (stat(path, &file))
		memset(&file, 0, sizeof(file));
	while (maps && !is_mapped && getline(&line, &len, maps) > 0) {
		at = strchr(line, '/');
		if (!at || sscanf(line, "%63s %4s", range, perms) != 2 || perms[2] != 'x')
			continue;
		at[strcspn(at, "\n")] = 0;
		is_mapped = is_mapping_of(pid, range, at, path, &file);
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
