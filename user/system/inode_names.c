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
#include "system/server.h"
#include "util/lines.h"
#include "util/mem.h"

static bool leads_to(const char *root, const char *path, uint32_t dev, uint64_t inode)
{
	char *whole = mem_format("%s%s", root, path);
	uint32_t its_dev;
	uint64_t its_inode;
	bool does = inode_ask(AT_FDCWD, whole, &its_dev, &its_inode) && its_dev == dev &&
		    its_inode == inode;

	free(whole);
	return does;
}

/*
 * Returns the target of a link of /proc if the target is a path to the file, here or below root,
 * which is the root of a process in another mount namespace. For an unlinked file the target has a
 * suffix, and is no path to it.
 */
static char *path_of_link(int folder, const char *name, const char *root, uint32_t dev,
			  uint64_t inode)
{
	char path[PATH_MAX];
	ssize_t len = readlinkat(folder, name, path, sizeof(path) - 1);

	if (len <= 0 || path[0] != '/')
		return NULL;
	path[len] = 0;
	return leads_to("", path, dev, inode) || (*root && leads_to(root, path, dev, inode)) ?
	       mem_string(path) : NULL;
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

/* Is mount the path, or a folder that the path goes through? */
static bool is_on_way(const char *mount, const char *path)
{
	size_t len = strlen(mount);

	if (len && mount[len - 1] == '/')
		len--;
	return !strncmp(mount, path, len) && (path[len] == '/' || !path[len]);
}

/* Does the path go through a file system whose server may never answer? */
static bool may_hang(const char *process, const char *path)
{
	struct lines mounts;
	const char *type;
	bool may = false;
	char *mount;
	int rest;

	lines_open(&mounts, "/proc/%s/mountinfo", process);
	while (!may && lines_next(&mounts)) {
		if (sscanf(mounts.text, "%*u %*u %*s %*s %ms%n", &mount, &rest) != 1)
			continue;
		unescape(mount);
		type = strstr(mounts.text + rest, " - ");
		may = is_on_way(mount, path) && type && server_is_behind(type + strlen(" - "));
		free(mount);
	}
	lines_close(&mounts);
	return may;
}

static int open_mount(const char *root, const char *path, uint32_t dev)
{
	int folder;
	uint32_t its_dev;
	uint64_t inode;
	char *whole;

	whole = mem_format("%s%s", root, path);
	folder = open(whole, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	free(whole);
	if (folder < 0 || (inode_ask(folder, ".", &its_dev, &inode) && its_dev == dev))
		return folder;
	close(folder);
	return -1;
}

/*
 * Opens a folder where a process ("self", or its number) has mounted the file system. root is "", or
 * the root of that process. Returns -1 if there is none.
 */
static int find_mount_of(const char *process, const char *root, uint32_t dev)
{
	unsigned int major, minor;
	struct lines mounts;
	int folder = -1;
	char *path;

	lines_open(&mounts, "/proc/%s/mountinfo", process);
	while (folder < 0 && lines_next(&mounts)) {
		if (sscanf(mounts.text, "%*u %*u %u:%u %*s %ms", &major, &minor, &path) != 3)
			continue;
		unescape(path);
		if ((major << 20 | minor) == dev && !may_hang(process, path))
			folder = open_mount(root, path, dev);
		free(path);
	}
	lines_close(&mounts);
	return folder;
}

#define MOST_NAMESPACES 64

/* Mount namespaces that were searched, by the inodes of /proc/PID/ns/mnt. */
struct searched {
	uint64_t inodes[MOST_NAMESPACES];
	size_t nr;
};

/* Returns false if the mount namespace of a process was searched before, or if there are too many. */
static bool is_new_namespace(struct searched *searched, const char *process)
{
	char *path = mem_format("/proc/%s/ns/mnt", process);
	bool is_new = searched->nr < MOST_NAMESPACES;
	uint64_t inode;
	uint32_t dev;
	size_t i;

	is_new = inode_ask(AT_FDCWD, path, &dev, &inode) && is_new;
	for (i = 0; i < searched->nr && is_new; i++)
		is_new = searched->inodes[i] != inode;
	if (is_new)
		searched->inodes[searched->nr++] = inode;
	free(path);
	return is_new;
}

/* Where a file system is mounted. */
struct mount {
	int folder;	/* -1: nowhere */
	char *root;	/* /proc/PID/root of a process that has mounted it; "": mounted here */
};

/* Searches the mount namespaces of all processes. */
static struct mount find_mount_elsewhere(uint32_t dev)
{
	struct mount mount = { .folder = -1, .root = mem_string("") };
	struct searched searched = { .nr = 0 };
	DIR *all = opendir("/proc");
	struct dirent *entry;

	is_new_namespace(&searched, "self");
	while (all && mount.folder < 0 && (entry = readdir(all))) {
		if (!isdigit(entry->d_name[0]) || !is_new_namespace(&searched, entry->d_name))
			continue;
		free(mount.root);
		mount.root = mem_format("/proc/%s/root", entry->d_name);
		mount.folder = find_mount_of(entry->d_name, mount.root, dev);
	}
	if (all)
		closedir(all);
	return mount;
}

static struct mount find_mount_here(uint32_t dev)
{
	return (struct mount){ find_mount_of("self", "", dev), mem_string("") };
}

static struct mount find_mount(uint32_t dev)
{
	struct mount mount = find_mount_here(dev);

	if (mount.folder >= 0)
		return mount;
	free(mount.root);
	return find_mount_elsewhere(dev);
}

static void close_mount(struct mount *mount)
{
	if (mount->folder >= 0)
		close(mount->folder);
	free(mount->root);
}

#define INO32_GEN 1	/* a handle of an inode and its generation; generation 0 matches any */

/*
 * Opens a file by its inode, and returns its path if the kernel has it in memory. Only ext4 and
 * similar file systems accept such a handle.
 */
static char *ask_mount(const struct mount *mount, const struct inode_name *name)
{
	const uint32_t words[] = { name->inode, 0 };
	union {
		struct file_handle head;
		char room[sizeof(struct file_handle) + sizeof(words)];
	} handle = { .head = { .handle_bytes = sizeof(words), .handle_type = INO32_GEN } };
	char *link, *path;
	int file;

	if (mount->folder < 0 || name->inode > UINT32_MAX)
		return NULL;
	memcpy(handle.head.f_handle, words, sizeof(words));
	file = open_by_handle_at(mount->folder, &handle.head, O_PATH | O_CLOEXEC);
	if (file < 0)
		return NULL;
	link = mem_format("/proc/self/fd/%d", file);
	path = path_of_link(AT_FDCWD, link, mount->root, name->dev, name->inode);
	free(link);
	close(file);
	return path;
}

/* names is sorted by file system. */
static void ask_mounts(struct inode_name *names, size_t nr)
{
	struct mount mount = { .folder = -1, .root = NULL };
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!i || names[i].dev != names[i - 1].dev) {
			close_mount(&mount);
			mount = find_mount(names[i].dev);
		}
		names[i].path = ask_mount(&mount, &names[i]);
	}
	close_mount(&mount);
}

char *inode_names_ask(uint32_t dev, uint64_t inode)
{
	const struct inode_name name = { .dev = dev, .inode = inode };
	struct mount mount = find_mount_here(dev);
	char *path = ask_mount(&mount, &name);

	close_mount(&mount);
	return path;
}

/* --- paths from processes ------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
	const struct inode_name *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return x->inode == y->inode ? 0 : x->inode < y->inode ? -1 : 1;
}

static void ask_files(DIR *folder, const char *root, struct inode_name *names, size_t nr)
{
	struct inode_name key = { .path = NULL }, *name;
	struct dirent *entry;

	while ((entry = readdir(folder))) {
		if (entry->d_name[0] == '.' ||
		    !inode_ask(dirfd(folder), entry->d_name, &key.dev, &key.inode))
			continue;
		name = bsearch(&key, names, nr, sizeof(*names), compare);
		if (name && !name->path)
			name->path = path_of_link(dirfd(folder), entry->d_name, root, key.dev,
						  key.inode);
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
		path = mem_format("/proc/%s/root", entry->d_name);
		ask_files(folder, path, names, nr);
		free(path);
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
