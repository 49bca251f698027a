/* SPDX-License-Identifier: GPL-2.0 */
#ifndef INI_H
#define INI_H

#include <stddef.h>

#include "util/err.h"

/*
 * Files as systemd's users know them: sections in brackets, Key=value, comments that begin with # or
 * ;, and a backslash at the end of a line that continues on the next. A key that is repeated adds a
 * value; an empty value drops those before it. libinih and libiniparser as distributions ship them
 * cut long lines, or do not tell line numbers.
 */
struct ini_place {
	const char *path;
	unsigned int line;
};

struct ini_entry {
	char *key, *value;
	struct ini_place place;
};

struct ini_section {
	char *name;		/* "Sink", of [Sink central] */
	char *of;		/* "central", or "" */
	struct ini_place place;
	struct ini_entry *entries;
	size_t nr;
};

struct ini {
	struct ini_section *sections;
	size_t nr;
	char **paths;		/* of the files that were read */
	size_t nr_paths;
};

/*
 * Adds the sections of a file, and of all files FILE.d/NAME.conf in the order of their names, to those
 * that the ini has; a section of the same name gets more entries. Returns 0, or -1 with err set to
 * "PATH:LINE: ...". A file that does not exist has no sections.
 */
int ini_read(struct ini *ini, const char *path, struct err *err);
void ini_free(struct ini *ini);

/* Returns true for a file whose name ends with .conf; for scandir(3). */
struct dirent;
int ini_is_conf(const struct dirent *entry);

/* Return the last entry of a key, whose case does not count, or its value; or NULL. */
const struct ini_entry *ini_find(const struct ini_section *section, const char *key);
const char *ini_last(const struct ini_section *section, const char *key);

/*
 * Sets err to "PATH:LINE: text", with the text as formatted. Returns -1.
 */
int ini_fail(struct err *err, const struct ini_place *place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
