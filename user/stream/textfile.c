// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stream/metrics_collectd.h"
#include "stream/metrics_text.h"
#include "stream/textfile.h"
#include "util/mem.h"

const struct textfile textfile_node = {
	"ktrace.prom", metrics_text_print,
	"the folder must be that of node_exporter's --collector.textfile.directory, and writable",
};
const struct textfile textfile_collectd = {
	"ktrace.collectd", metrics_collectd_print, "the folder must be writable",
};

static int refuse(const struct textfile *of, const char *folder, const char *what, struct err *err)
{
	return err_set(err, "The file %s/%s cannot be %s: %s; %s.", folder, of->name, what,
		       strerror(errno), of->advice);
}

static int write_new(const struct textfile *of, const char *path, const struct metrics *metrics)
{
	FILE *out;
	int fd, error;

	/* A file that was left by a killed process, or put there by someone else. */
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out)
		return -1;
	of->print(out, metrics);
	error = fflush(out) || ferror(out) || fchmod(fd, 0644);
	return fclose(out) || error ? -1 : 0;
}

int textfile_write(const struct textfile *of, const char *folder, const struct metrics *metrics,
		   struct err *err)
{
	char *path = mem_format("%s/%s", folder, of->name);
	char *new_path = mem_format("%s.new", path);	/* node_exporter does not read this one */
	int error = write_new(of, new_path, metrics) || rename(new_path, path);

	if (error) {
		refuse(of, folder, "written", err);
		unlink(new_path);
	}
	free(new_path);
	free(path);
	return error ? -1 : 0;
}

int textfile_remove(const struct textfile *of, const char *folder, struct err *err)
{
	char *path = mem_format("%s/%s", folder, of->name);
	int error = unlink(path) && errno != ENOENT ? refuse(of, folder, "removed", err) : 0;

	free(path);
	return error;
}
