// SPDX-License-Identifier: GPL-2.0
/* Opens the files and folders whose requests are traced. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/chosen_files.h"
#include "uapi/ktrace.h"

static int explain_file(const char *path, mode_t mode, struct err *err)
{
	if (S_ISDIR(mode))
		return err_set(err, "'%s' is a folder; for all files below it use --dir %s.", path, path);
	return err_set(err, "'%s' is not a regular file, so no requests belong to it; choose a disk with --dev.",
		       path);
}

static int explain_folder(const char *path, mode_t mode, struct err *err)
{
	if (S_ISREG(mode))
		return err_set(err, "'%s' is a file, not a folder; use --file %s.", path, path);
	return err_set(err, "'%s' is not a folder; --dir takes folders.", path);
}

static int explain_missing(const char *path, struct err *err)
{
	return err_set(err, "'%s' cannot be opened: %s; give a path that exists now.", path,
		       strerror(errno));
}

/* Checks the type first, because opening a pipe or a tape may wait. */
static int open_one(const char *path, bool is_folder, uint32_t *fd, struct err *err)
{
	struct stat file;
	int opened;

	if (stat(path, &file))
		return explain_missing(path, err);
	if (is_folder && !S_ISDIR(file.st_mode))
		return explain_folder(path, file.st_mode, err);
	if (!is_folder && !S_ISREG(file.st_mode))
		return explain_file(path, file.st_mode, err);
	opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (is_folder ? O_DIRECTORY : 0));
	if (opened < 0)
		return explain_missing(path, err);
	*fd = opened;
	return 0;
}

int chosen_files_open(const struct match *files, const struct match *folders, uint32_t *fds,
		      struct err *err)
{
	size_t nr = files->nr + folders->nr, i;
	bool is_folder;

	if (nr > KTRACE_BLOCK_FILES)
		return err_set(err, "At most %d files and folders can be chosen; use --dir with a folder above them.",
			       KTRACE_BLOCK_FILES);
	for (i = 0; i < nr; i++) {
		is_folder = i >= files->nr;
		if (open_one(is_folder ? folders->globs[i - files->nr] : files->globs[i], is_folder,
			     &fds[i], err))
			return -1;
	}
	return nr;
}
