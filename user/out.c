// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "out.h"

FILE *out_open(const char *path, struct err *err)
{
	FILE *out;

	if (!path)
		return stdout;
	out = fopen(path, "we");
	if (!out)
		err_set(err, "%s cannot be written: %s; choose another file with -o.", path,
			strerror(errno));
	return out;
}

static int explain(int error, const char *path, struct err *err)
{
	if (!path && error == EPIPE)
		return err_set(err, "Standard output was closed by its reader; the rest is not shown.");
	return err_set(err, "Writing to %s failed: %s; what is there is not complete.",
		       path ? path : "standard output", strerror(error));
}

int out_flush(FILE *out, const char *path, struct err *err)
{
	errno = 0;
	if (fflush(out) || ferror(out))
		return explain(errno ? errno : EIO, path, err);
	return 0;
}

int out_close(FILE *out, const char *path, struct err *err)
{
	int result = out_flush(out, path, err);

	if (out != stdout && fclose(out) && !result)
		result = explain(errno, path, err);
	return result;
}
