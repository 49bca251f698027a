// SPDX-License-Identifier: GPL-2.0
/* Finds the paths of files that the kernel reports by inode. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "system/inode_names.h"
#include "system/inode_path.h"
#include "util/lines.h"
#include "util/mem.h"

/*
 * Returns the target of a link of /proc if the target is a path to the file. For an unlinked file
 * the target has a suffix, and is no path to it.
 */
static char *path_of_link(int folder, const char *name, uint32_t dev, uint64_t inode)
{
	char path[PATH_MAX];
	ssize_t len = readlinkat(folder, name, path, sizeof(path) - 1);
	uint32_t its_dev;
	uint64_t its_inode;

	if (len <= 0 || path[0] != '/')
		return NULL;
	path[len] = 0;
	return inode_ask(AT_FDCWD, path, &its_dev, &its_inode) && its_dev == dev &&
	       its_inode == inode ? mem_string(path) : NULL;
}

/* --- paths from the file system ---------------------------------------------- */

/* mountinfo has a space, for example, as a backslash and three octal digits. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (text[0] == '\\' && isdigit(text[1]) && isdigit(text[2]) && isdigit(text[3])) {
			*to++ = (text[1] - '0') << 6 | (text[2] - '0') << 3 | (text[3] - '0');
			text += 3;
		} else {
			*to++ = *text;
		}
	}
	*to = 0;
}

static int open_mount(char *path, uint32_t dev)
{
	int folder;
	uint32_t its_dev;
	uint64_t inode;

	unescape(path);
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	if (folder < 0 || (inode_ask(folder, ".", &its_dev, &inode) && its_dev == dev))
		return folder;
	close(folder);
	return -1;
}

/* Opens a folder where the file system is mounted. Returns -1 if there is none. */
static int find_mount(uint32_t dev)
{
	unsigned int major, minor;
	struct lines mounts;
	int folder = -1;
	char *path;

	lines_open(&mounts, "/proc/self/mountinfo");
	while (folder < 0 && lines_next(&mounts)) {
		if (sscanf(mounts.text, "%*u %*u %u:%u %*s %ms", &major, &minor, &path) != 3)
			continue;
		if ((major << 20 | minor) == dev)
			folder = open_mount(path, dev);
		free(path);
	}
	lines_close(&mounts);
	return folder;
}

#define INO32_GEN 1	/* a handle of an inode and its generation; generation 0 matches any */

/*
 * Opens a file by its inode, and returns its path if the kernel has it in memory. Only ext4 and
 * similar file systems accept such a handle.
 */
static char *ask_mount(int folder, const struct inode_name *name)
{
	const uint32_t words[] = { name->inode, 0 };
	union {
		struct file_handle head;
		char room[sizeof(struct file_handle) + sizeof(words)];
	} handle = { .head = { .handle_bytes = sizeof(words), .handle_type = INO32_GEN } };
	char *link, *path;
	int file;

	if (name->inode > UINT32_MAX)
		return NULL;
	memcpy(handle.head.f_handle, words, sizeof(words));
	file = open_by_handle_at(folder, &handle.head, O_PATH | O_CLOEXEC);
	if (file < 0)
		return NULL;
	link = mem_format("/proc/self/fd/%d", file);
	path = path_of_link(AT_FDCWD, link, name->dev, name->inode);
	free(link);
	close(file);
	return path;
}

/* names is sorted by file system. */
static void ask_mounts(struct inode_name *names, size_t nr)
{
	uint32_t dev = 0;
	int folder = -1;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!i || names[i].dev != dev) {
			if (folder >= 0)
				close(folder);
			dev = names[i].dev;
			folder = find_mount(dev);
		}
		if (folder >= 0)
			names[i].path = ask_mount(folder, &names[i]);
	}
	if (folder >= 0)
		close(folder);
}

char *inode_names_ask(uint32_t dev, uint64_t inode)
{
	struct inode_name name = { .dev = dev, .inode = inode };

	ask_mounts(&name, 1);
	return name.path;
}

/* --- paths from processes ------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
	const struct inode_name *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return x->inode == y->inode ? 0 : x->inode < y->inode ? -1 : 1;
}

static void ask_files(DIR *folder, struct inode_name *names, size_t nr)
{
	struct inode_name key = { .path = NULL }, *name;
	struct dirent *entry;

	while ((entry = readdir(folder))) {
		if (entry->d_name[0] == '.' ||
		    !inode_ask(dirfd(folder), entry->d_name, &key.dev, &key.inode))
			continue;
		name = bsearch(&key, names, nr, sizeof(*names), compare);
		if (name && !name->path)
			name->path = path_of_link(dirfd(folder), entry->d_name, key.dev, key.inode);
	}
}

static void ask_processes(struct inode_name *names, size_t nr)
{
	DIR *all = opendir("/proc"), *folder;
	struct dirent *entry;
	char *path;

	while (all && (entry = readdir(all))) {
		if (!isdigit(entry->d_name[0]))
			continue;
		path = mem_format("/proc/%s/fd", entry->d_name);
		folder = opendir(path);
		free(path);
		if (!folder)
			continue;
		ask_files(folder, names, nr);
		closedir(folder);
	}
	if (all)
		closedir(all);
}

static bool are_all_known(const struct inode_name *names, size_t nr)
{
	while (nr)
		if (!names[--nr].path)
			return false;
	return true;
}

const char *inode_names_path(const struct inode_name *names, size_t nr, uint32_t dev,
			     uint64_t inode)
{
	const struct inode_name key = { .dev = dev, .inode = inode }, *name;

	name = bsearch(&key, names, nr, sizeof(*names), compare);
	return name ? name->path : NULL;
}

void inode_names_free(struct inode_name *names, size_t nr)
{
	while (nr)
		free(names[--nr].path);
	free(names);
}

void inode_names_find(struct inode_name *names, size_t nr)
{
	if (!nr)
		return;
	qsort(names, nr, sizeof(*names), compare);
	ask_mounts(names, nr);
	if (!are_all_known(names, nr))
		ask_processes(names, nr);
}
