// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve/status.h"
#include "util/out.h"

/* Names with a dot in front are no sessions'. */
#define FOLDER "/run/ktrace"
#define LOCK FOLDER "/.serve.lock"
#define REPORT FOLDER "/.serve"
#define NEW_REPORT FOLDER "/.serve.new"

int status_lock(struct err *err)
{
	int fd;

	if (mkdir(FOLDER, 0700) && errno != EEXIST)
		return err_set(err, FOLDER " cannot be made: %s.", strerror(errno));
	/* Only to read: it may belong to root, or to the user ktrace. */
	fd = open(LOCK, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return err_set(err, LOCK " cannot be opened: %s; try as root.", strerror(errno));
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	close(fd);
	return err_set(err, "ktrace serve runs already; see: ktrace serve --status.");
}

int status_write(const char *text, struct err *err)
{
	ssize_t len = strlen(text);
	bool is_written;
	int fd;

	/* It may be left by another user's process that was killed. */
	unlink(NEW_REPORT);
	fd = open(NEW_REPORT, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(err, NEW_REPORT " cannot be written: %s.", strerror(errno));
	is_written = write(fd, text, len) == len;
	close(fd);
	if (is_written && !rename(NEW_REPORT, REPORT))
		return 0;
	return err_set(err, REPORT " cannot be written: %s.", strerror(errno));
}

void status_remove(void)
{
	unlink(REPORT);
}

static bool is_running(void)
{
	int fd = open(LOCK, O_RDONLY | O_CLOEXEC);
	bool is_locked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB);

	if (fd >= 0)
		close(fd);
	return is_locked;
}

int status_print(FILE *out, struct err *err)
{
	char text[4096];
	FILE *file;
	size_t len;

	if (access(FOLDER, R_OK | X_OK) && errno == EACCES)
		return err_set(err, "The report of ktrace serve can be read by root and the user ktrace only.");
	file = is_running() ? fopen(REPORT, "re") : NULL;
	if (!file)
		return err_set(err, "ktrace serve does not run; start it with: systemctl start ktrace.");
	while ((len = fread(text, 1, sizeof(text), file)))
		out_kept(out, text, len);
	fclose(file);
	return 0;
}
