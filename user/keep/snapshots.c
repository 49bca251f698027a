// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "keep/former.h"
#include "keep/snapshots.h"
#include "util/mem.h"
#include "util/own_folder.h"

#define DIGITS 4	/* at least */

char *snapshots_path(const char *path, unsigned int nr)
{
	return mem_format("%s/%0*u", path, DIGITS, nr);
}

static bool is_snapshot(const char *name)
{
	size_t len = strlen(name);

	return len >= DIGITS && strspn(name, "0123456789") == len;
}

/* Returns a descriptor, or -1 if it is no folder with a recording. */
static int open_snapshot(int folder, const char *name)
{
	int fd = is_snapshot(name) ? openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
						    O_CLOEXEC) : -1;

	if (fd < 0 || former_is_there(fd) || own_folder_is_empty(fd))
		return fd;
	close(fd);
	return -1;
}

static DIR *open_list(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

static bool is_itself(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* --- checking ------------------------------------------------------------------- */

static int check_snapshot(int folder, const char *path, const char *name, struct err *err)
{
	int fd = open_snapshot(folder, name), result;

	if (fd < 0)
		return own_folder_refuse(path, err);
	result = former_is_there(fd) ? former_check(fd, path, err) : 0;
	close(fd);
	return result;
}

static int check_all(int folder, const char *path, struct err *err)
{
	DIR *dir = open_list(folder);
	struct dirent *entry;
	int result = 0;

	if (!dir)
		return err_set(err, "The folder %s cannot be read: %s.", path, strerror(errno));
	while (!result && (entry = readdir(dir)))
		if (!is_itself(entry->d_name))
			result = check_snapshot(folder, path, entry->d_name, err);
	closedir(dir);
	return result;
}

static int check(int folder, const char *path, bool is_forced, struct err *err)
{
	if (own_folder_is_empty(folder))
		return 0;
	if (former_is_there(folder) ? former_check(folder, path, err) : check_all(folder, path, err))
		return -1;
	return is_forced ? 0 :
	       err_set(err, "%s has a recording already; replace it with --force, or name a new folder.",
		       path);
}

int snapshots_open(const char *path, bool is_forced, bool *is_new, struct err *err)
{
	int folder = own_folder_open(path, is_new, err);

	if (folder < 0 || !check(folder, path, is_forced, err))
		return folder;
	close(folder);
	return -1;
}

/* --- removing ------------------------------------------------------------------- */

static int remove_snapshot(int folder, const char *name)
{
	int fd = open_snapshot(folder, name), error;

	if (fd < 0)
		return 0;
	error = former_is_there(fd) ? former_remove(fd) : 0;
	close(fd);
	return !error && unlinkat(folder, name, AT_REMOVEDIR) ? -errno : error;
}

int snapshots_remove_one(int folder, unsigned int nr)
{
	char name[24];

	snprintf(name, sizeof(name), "%0*u", DIGITS, nr);
	return remove_snapshot(folder, name);
}

int snapshots_remove(int folder)
{
	struct dirent *entry;
	int error = 0;
	DIR *dir;

	if (former_is_there(folder))
		return former_remove(folder);
	dir = open_list(folder);
	if (!dir)
		return -errno;
	while (!error && (entry = readdir(dir)))
		if (!is_itself(entry->d_name))
			error = remove_snapshot(folder, entry->d_name);
	closedir(dir);
	return error;
}
