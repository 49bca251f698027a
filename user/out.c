// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <unistd.h>

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

/*
 * What was printed may have failed on its way, and nothing be left that could now: one line
 * more fails as that did, and tells why. What is there is not complete anyway.
 */
static int why_failed(FILE *out)
{
	return write(fileno(out), "\n", 1) < 0 ? errno : EIO;
}

int out_flush(FILE *out, const char *path, struct err *err)
{
	if (fflush(out))
		return explain(errno, path, err);
	return ferror(out) ? explain(why_failed(out), path, err) : 0;
}

int out_close(FILE *out, const char *path, struct err *err)
{
	int result = out_flush(out, path, err);

	if (out != stdout && fclose(out) && !result)
		result = explain(errno, path, err);
	return result;
}
