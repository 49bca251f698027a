// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stream/metrics_text.h"
#include "stream/textfile.h"
#include "util/mem.h"

#define NAME "ktrace.prom"
#define NEW_NAME "ktrace.prom.new"	/* of an end that node_exporter does not read */

static int refuse(const char *folder, const char *what, struct err *err)
{
	return err_set(err, "The file %s/" NAME " cannot be %s: %s; the folder must be that of node_exporter's --collector.textfile.directory, and writable.",
		       folder, what, strerror(errno));
}

static int write_new(const char *path, const struct metrics *metrics)
{
	FILE *out;
	int fd, error;

	/* A file that was left by a killed process, or put there by someone else. */
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out)
		return -1;
	metrics_text_print(out, metrics);
	error = fflush(out) || ferror(out) || fchmod(fd, 0644);
	return fclose(out) || error ? -1 : 0;
}

int textfile_write(const char *folder, const struct metrics *metrics, struct err *err)
{
	char *path = mem_format("%s/" NAME, folder), *new_path = mem_format("%s/" NEW_NAME, folder);
	int error = write_new(new_path, metrics) || rename(new_path, path);

	if (error) {
		refuse(folder, "written", err);
		unlink(new_path);
	}
	free(new_path);
	free(path);
	return error ? -1 : 0;
}

int textfile_remove(const char *folder, struct err *err)
{
	char *path = mem_format("%s/" NAME, folder);
	int error = unlink(path) && errno != ENOENT ? refuse(folder, "removed", err) : 0;

	free(path);
	return error;
}
