// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/mem.h"
#include "util/own_folder.h"

char *own_folder_path(const char *path)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	return mem_format("%.*s", (int)len, path);
}

bool own_folder_is_empty(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int nr = 0;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while ((entry = readdir(dir)))
		nr += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(dir);
	return !nr;
}

int own_folder_refuse(const char *path, struct err *err)
{
	return err_set(err, "%s exists and is not an empty folder; name a new one for the trace.",
		       path);
}

static int check_owner(const char *path, int fd, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_set(err, "The folder %s cannot be examined: %s.", path,
			       strerror(errno));
	if (st.st_uid != geteuid())
		return err_set(err, "The folder %s belongs to user %u, not to user %u who runs ktrace; name a new one for the trace.",
			       path, st.st_uid, geteuid());
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return err_set(err, "Other users may write to the folder %s; name a new one for the trace, or remove their permission with chmod go-w.",
			       path);
	return 0;
}

/*
 * The entry of a new folder reaches the disk with its parent. A parent that may not be read cannot
 * be synchronized, and some file systems fail with EINVAL. Returns 0, or -1 with errno set.
 */
static int sync_parent(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *parent = !slash ? mem_string(".") :
		       mem_format("%.*s", slash == path ? 1 : (int)(slash - path), path);
	int fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int error = fd >= 0 && fsync(fd) && errno != EINVAL ? errno : 0;

	free(parent);
	if (fd >= 0)
		close(fd);
	errno = error;
	return error ? -1 : 0;
}

int own_folder_open(const char *path, bool *is_new, struct err *err)
{
	int fd;

	*is_new = !mkdir(path, 0700);
	if ((!*is_new && errno != EEXIST) || (*is_new && sync_parent(path))) {
		err_set(err, "The folder %s cannot be created: %s.", path, strerror(errno));
		if (*is_new)
			rmdir(path);
		return -1;
	}
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
		return own_folder_refuse(path, err);
	if (fd < 0)
		return err_set(err, "The folder %s cannot be opened: %s.", path, strerror(errno));
	if (!check_owner(path, fd, err))
		return fd;
	close(fd);
	return -1;
}

int own_folder_create(int folder, const char *name)
{
	return openat(folder, name, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		      0600);
}

/* A short write does not tell why: the next one does. */
static int write_all(int fd, const char *data, size_t len)
{
	ssize_t written;

	while (len) {
		written = write(fd, data, len);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written ? -errno : -EIO;
		data += written;
		len -= written;
	}
	return 0;
}

int own_folder_append(int fd, off_t at, const void *data, size_t len)
{
	int error = write_all(fd, data, len);

	return error && ftruncate(fd, at) ? -errno : error;
}
