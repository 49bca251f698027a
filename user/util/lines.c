// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/lines.h"
#include "util/mem.h"

static bool open_at(struct lines *lines, const char *path, va_list args)
{
	char *name = mem_format_args(path, args);
	int error;

	memset(lines, 0, sizeof(*lines));
	lines->file = fopen(name, "re");
	error = errno;
	free(name);
	errno = error;
	return lines->file;
}

bool lines_open(struct lines *lines, const char *path, ...)
{
	va_list args;
	bool is_open;

	va_start(args, path);
	is_open = open_at(lines, path, args);
	va_end(args);
	return is_open;
}

bool lines_next(struct lines *lines)
{
	ssize_t len = lines->file ? getline(&lines->text, &lines->room, lines->file) : -1;

	if (len > 0 && lines->text[len - 1] == '\n')
		lines->text[len - 1] = 0;
	return len > 0;
}

void lines_close(struct lines *lines)
{
	if (lines->file)
		fclose(lines->file);
	free(lines->text);
}

bool line_read(char *text, size_t len, const char *path, ...)
{
	struct lines lines;
	va_list args;
	bool is_there;

	va_start(args, path);
	open_at(&lines, path, args);
	va_end(args);
	is_there = lines_next(&lines);
	if (is_there)
		snprintf(text, len, "%s", lines.text);
	lines_close(&lines);
	return is_there;
}

char *line_find(const char *prefix, const char *path, ...)
{
	size_t len = strlen(prefix);
	char *value = NULL, *at;
	struct lines lines;
	va_list args;

	va_start(args, path);
	open_at(&lines, path, args);
	va_end(args);
	while (!value && lines_next(&lines)) {
		at = lines.text + len;
		if (!strncmp(lines.text, prefix, len))
			value = mem_string(at + strspn(at, " \t"));
	}
	lines_close(&lines);
	return value;
}
