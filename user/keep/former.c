// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keep/folders.h"
#include "keep/former.h"
#include "util/mem.h"

typedef int (*entry_fn)(void *arg, int folder, const char *name);

static bool is_regular(int folder, const char *name)
{
	struct stat st;

	return !fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode);
}

/* Calls fn for each entry until it returns nonzero. Returns that, or 0, or a negative errno. */
static int each_entry(int folder, entry_fn fn, void *arg)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), result = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		result = -errno;
		if (fd >= 0)
			close(fd);
		return result;
	}
	while (!result && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			result = fn(arg, folder, entry->d_name);
	closedir(dir);
	return result;
}

static bool is_of_trace(const char *name)
{
	uint32_t cpu;

	return !strcmp(name, "metadata") || !strcmp(name, ".metadata") ||
	       folder_is_stream(name, &cpu);
}

static int open_trace(int folder, const char *name)
{
	return openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* --- checking ------------------------------------------------------------------- */

/* Sets *stranger to a file that no recording has, and returns 1. */
static int check_file(void *stranger, int folder, const char *name)
{
	if (is_of_trace(name) && is_regular(folder, name))
		return 0;
	*(char **)stranger = mem_string(name);
	return 1;
}

static int check_session(void *stranger, int folder, const char *name)
{
	int fd, result;

	fd = folder_is_of_session(name) ? open_trace(folder, name) : -1;
	if (fd < 0) {
		*(char **)stranger = mem_string(name);
		return 1;
	}
	result = each_entry(fd, check_file, stranger);
	close(fd);
	return result;
}

static int check_entry(void *stranger, int folder, const char *name)
{
	if (!strcmp(name, FACTS_NAME) && is_regular(folder, name))
		return 0;
	return check_session(stranger, folder, name);
}

bool former_is_there(int folder)
{
	return is_regular(folder, FACTS_NAME);
}

static bool is_being_written(int folder)
{
	int fd = openat(folder, FACTS_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	bool is_locked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return is_locked;
}

static int check_entries(int folder, const char *path, entry_fn check, const char *what,
			 struct err *err)
{
	char *stranger = NULL;
	int result = each_entry(folder, check, &stranger);

	if (result > 0)
		err_set(err, "%s has '%s', which is not of %s, so nothing is removed; name a new folder.",
			path, stranger, what);
	else if (result)
		err_set(err, "The folder %s cannot be read: %s.", path, strerror(-result));
	free(stranger);
	return result ? -1 : 0;
}

int former_check(int folder, const char *path, struct err *err)
{
	if (is_being_written(folder))
		return err_set(err, "Another ktrace writes the recording %s now; name another folder.",
			       path);
	return check_entries(folder, path, check_entry, "a recording", err);
}

int former_check_trace(int folder, const char *path, struct err *err)
{
	if (former_is_there(folder))
		return err_set(err, "%s has a recording, which is not replaced by a trace; name a new folder.",
			       path);
	return check_entries(folder, path, check_session, "a trace of ktrace report", err);
}

/* --- removing ------------------------------------------------------------------- */

static int remove_file(void *unused, int folder, const char *name)
{
	(void)unused;
	return is_of_trace(name) && unlinkat(folder, name, 0) ? -errno : 0;
}

static int remove_folder(void *unused, int folder, const char *name)
{
	int fd = folder_is_of_session(name) ? open_trace(folder, name) : -1, error;

	if (fd < 0)
		return 0;
	error = each_entry(fd, remove_file, unused);
	close(fd);
	return !error && unlinkat(folder, name, AT_REMOVEDIR) ? -errno : error;
}

/* The first file is the last one that is removed: until then it is a recording that can be replaced. */
int former_remove(int folder)
{
	int error = each_entry(folder, remove_folder, NULL);

	return !error && unlinkat(folder, FACTS_NAME, 0) ? -errno : error;
}

int former_remove_trace(int folder)
{
	return each_entry(folder, remove_folder, NULL);
}
