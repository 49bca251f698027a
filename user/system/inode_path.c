// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "system/inode_path.h"
#include "util/lines.h"
#include "util/mem.h"
#include "util/root.h"

#define DEV(major, minor) ((uint32_t)(major) << 20 | (minor))

bool inode_ask(int folder, const char *name, uint32_t *dev, uint64_t *inode)
{
	struct stat file;

	if (root_look_at(folder, name, &file))
		return false;
	*dev = DEV(major(file.st_dev), minor(file.st_dev));
	*inode = file.st_ino;
	return true;
}

static bool is_it(int folder, const char *name, uint32_t dev, uint64_t inode)
{
	uint32_t its_dev;
	uint64_t its_inode;

	return inode_ask(folder, name, &its_dev, &its_inode) && its_inode == inode && its_dev == dev;
}

static bool find_open(char *text, size_t room, DIR *folder, uint32_t dev, uint64_t inode)
{
	struct dirent *entry;
	ssize_t len;

	while ((entry = readdir(folder))) {
		if (entry->d_name[0] == '.' || !is_it(dirfd(folder), entry->d_name, dev, inode))
			continue;
		len = readlinkat(dirfd(folder), entry->d_name, text, room - 1);
		if (len <= 0)
			return false;
		text[len] = 0;
		return true;
	}
	return false;
}

static bool is_open(char *text, size_t room, uint32_t pid, uint32_t dev, uint64_t inode)
{
	char *path = mem_format("/proc/%u/fd", pid);
	DIR *folder = opendir(path);
	bool is_found = folder && find_open(text, room, folder, dev, inode);

	if (folder)
		closedir(folder);
	free(path);
	return is_found;
}

static bool is_line(const char *line, uint32_t dev, uint64_t inode, const char **path)
{
	unsigned int major, minor;
	unsigned long long number;
	int at = 0;

	if (sscanf(line, "%*x-%*x %*s %*x %x:%x %llu %n", &major, &minor, &number, &at) != 3)
		return false;
	*path = line + at;
	return number == inode && DEV(major, minor) == dev && (*path)[0] == '/';
}

static bool is_mapped(char *text, size_t room, uint32_t pid, uint32_t dev, uint64_t inode)
{
	bool is_found = false;
	struct lines lines;
	const char *path;

	lines_open(&lines, "/proc/%u/maps", pid);
	while (!is_found && lines_next(&lines)) {
		is_found = is_line(lines.text, dev, inode, &path);
		if (is_found)
			snprintf(text, room, "%s", path);
	}
	lines_close(&lines);
	return is_found;
}

bool inode_path(char *text, size_t room, uint32_t pid, uint32_t dev, uint64_t inode)
{
	return pid && inode && (is_open(text, room, pid, dev, inode) ||
				is_mapped(text, room, pid, dev, inode));
}
