// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "serve/ini.h"
#include "util/lines.h"
#include "util/mem.h"

#define LINE_LEN 65536	/* with those that continue it */

int ini_fail(struct err *err, const struct ini_place *place, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = mem_format_args(format, args);
	va_end(args);
	err_set(err, "%s:%u: %s", place->path, place->line, text);
	free(text);
	return -1;
}

/* --- lines ------------------------------------------------------------------ */

/* Cuts blanks at both ends. */
static char *stripped(char *text)
{
	char *end = text + strlen(text);

	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	*end = 0;
	return text + strspn(text, " \t");
}

static struct ini_section *section_of(struct ini *ini, const char *name, const char *of,
				      const struct ini_place *place)
{
	struct ini_section *section;

	for (section = ini->sections; section < ini->sections + ini->nr; section++)
		if (!strcasecmp(section->name, name) && !strcmp(section->of, of))
			return section;
	ini->sections = mem_grow(ini->sections, ini->nr, sizeof(*ini->sections));
	section = &ini->sections[ini->nr++];
	section->name = mem_string(name);
	section->of = mem_string(of);
	section->place = *place;
	return section;
}

static void clear(struct ini_section *section, const char *key)
{
	size_t from, to = 0;

	for (from = 0; from < section->nr; from++) {
		if (strcasecmp(section->entries[from].key, key)) {
			section->entries[to++] = section->entries[from];
			continue;
		}
		free(section->entries[from].key);
		free(section->entries[from].value);
	}
	section->nr = to;
}

static void add(struct ini_section *section, const char *key, const char *value,
		const struct ini_place *place)
{
	struct ini_entry *entry;

	if (!*value) {
		clear(section, key);
		return;
	}
	section->entries = mem_grow(section->entries, section->nr, sizeof(*section->entries));
	entry = &section->entries[section->nr++];
	entry->key = mem_string(key);
	entry->value = mem_string(value);
	entry->place = *place;
}

/* Reads "[Name of]". Returns the number of its section, or -1 with err set. */
static int begin_section(struct ini *ini, char *text, const struct ini_place *place,
			 struct err *err)
{
	char *end = strchr(text, ']'), *of;

	if (!end || end[1])
		return ini_fail(err, place, "A section is a name in brackets, such as [Session], not %s.",
				text);
	*end = 0;
	text = stripped(text + 1);
	of = text + strcspn(text, " \t");
	if (*of)
		*of++ = 0;
	return section_of(ini, text, stripped(of), place) - ini->sections;
}

/* Handles one line. *section: the number of the section that it is in, or -1. */
static int take(struct ini *ini, char *text, int *section, const struct ini_place *place,
		struct err *err)
{
	char *value;

	text = stripped(text);
	if (!*text || *text == '#' || *text == ';')
		return 0;
	if (*text == '[') {
		*section = begin_section(ini, text, place, err);
		return *section < 0 ? -1 : 0;
	}
	value = strchr(text, '=');
	if (!value || value == text)
		return ini_fail(err, place, "This is neither a section nor Key=value: %.80s", text);
	if (*section < 0)
		return ini_fail(err, place, "%.80s stands in front of the first section.", text);
	*value++ = 0;
	add(&ini->sections[*section], stripped(text), stripped(value), place);
	return 0;
}

/* --- files ------------------------------------------------------------------ */

/* Adds a line to the one that it continues. */
static char *join(char *begun, const char *text)
{
	char *all = mem_format("%s%s", begun ? begun : "", text);

	free(begun);
	return all;
}

static bool goes_on(char *text)
{
	size_t len = strlen(text);

	if (!len || text[len - 1] != '\\')
		return false;
	text[len - 1] = ' ';
	return true;
}

/* Some editors write a byte order mark. */
static char *without_mark(char *text)
{
	return strncmp(text, "\xef\xbb\xbf", 3) ? text : text + 3;
}

static int read_lines(struct ini *ini, struct lines *lines, const char *path, struct err *err)
{
	struct ini_place place = { path, 0 };
	unsigned int line = 0;
	char *begun = NULL;
	int section = -1, error = 0;

	while (!error && lines_next(lines)) {
		line++;
		if (!begun)
			place.line = line;
		begun = join(begun, line == 1 ? without_mark(lines->text) : lines->text);
		if (strlen(begun) > LINE_LEN) {
			error = ini_fail(err, &place, "The line is longer than %d characters.", LINE_LEN);
			break;
		}
		if (goes_on(begun))
			continue;
		error = take(ini, begun, &section, &place, err);
		free(begun);
		begun = NULL;
	}
	if (begun && !error)
		error = take(ini, begun, &section, &place, err);
	free(begun);
	return error;
}

static int read_file(struct ini *ini, const char *path, bool may_lack, struct err *err)
{
	struct lines lines;
	int error;

	struct stat stat_of;

	if (stat(path, &stat_of))
		return errno == ENOENT && may_lack ? 0 :
		       err_set(err, "%s cannot be read: %s.", path, strerror(errno));
	/* A pipe would be waited for. */
	if (!S_ISREG(stat_of.st_mode))
		return err_set(err, "%s is no file.", path);
	if (!lines_open(&lines, "%s", path))
		return err_set(err, "%s cannot be read: %s.", path, strerror(errno));
	ini->paths = mem_grow(ini->paths, ini->nr_paths, sizeof(*ini->paths));
	ini->paths[ini->nr_paths] = mem_string(path);
	error = read_lines(ini, &lines, ini->paths[ini->nr_paths++], err);
	lines_close(&lines);
	return error;
}

int ini_is_conf(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return *entry->d_name != '.' && len > 5 && !strcmp(entry->d_name + len - 5, ".conf");
}

int ini_read(struct ini *ini, const char *path, struct err *err)
{
	char *folder = mem_format("%s.d", path), *more;
	struct dirent **entries = NULL;
	int error = read_file(ini, path, true, err), nr, i;

	nr = scandir(folder, &entries, ini_is_conf, alphasort);
	if (nr < 0 && errno != ENOENT && !error)
		error = err_set(err, "%s cannot be read: %s.", folder, strerror(errno));
	for (i = 0; i < nr; i++) {
		more = mem_format("%s/%s", folder, entries[i]->d_name);
		if (!error)
			error = read_file(ini, more, false, err);
		free(more);
		free(entries[i]);
	}
	free(entries);
	free(folder);
	return error;
}

static void free_section(struct ini_section *section)
{
	size_t i;

	for (i = 0; i < section->nr; i++) {
		free(section->entries[i].key);
		free(section->entries[i].value);
	}
	free(section->entries);
	free(section->name);
	free(section->of);
}

void ini_free(struct ini *ini)
{
	size_t i;

	for (i = 0; i < ini->nr; i++)
		free_section(&ini->sections[i]);
	for (i = 0; i < ini->nr_paths; i++)
		free(ini->paths[i]);
	free(ini->sections);
	free(ini->paths);
	*ini = (struct ini){ .nr = 0 };
}

const struct ini_entry *ini_find(const struct ini_section *section, const char *key)
{
	size_t i;

	for (i = section->nr; i--;)
		if (!strcasecmp(section->entries[i].key, key))
			return &section->entries[i];
	return NULL;
}

const char *ini_last(const struct ini_section *section, const char *key)
{
	const struct ini_entry *entry = ini_find(section, key);

	return entry ? entry->value : NULL;
}
