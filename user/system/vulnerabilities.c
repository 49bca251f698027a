// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/vulnerabilities.h"
#include "util/lines.h"
#include "util/mem.h"

#define FOLDER "/sys/devices/system/cpu/vulnerabilities"

static void add(struct vulnerabilities *found, const char *name)
{
	struct vulnerability one;

	memset(&one, 0, sizeof(one));
	if (!line_read(one.text, sizeof(one.text), FOLDER "/%s", name))
		return;
	snprintf(one.name, sizeof(one.name), "%.39s", name);
	found->all = mem_grow(found->all, found->nr, sizeof(*found->all));
	found->all[found->nr++] = one;
}

static int by_name(const void *a, const void *b)
{
	const struct vulnerability *x = a, *y = b;

	return strcmp(x->name, y->name);
}

void vulnerabilities_read(struct vulnerabilities *found)
{
	DIR *folder = opendir(FOLDER);
	struct dirent *entry;

	memset(found, 0, sizeof(*found));
	while (folder && (entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			add(found, entry->d_name);
	if (folder)
		closedir(folder);
	if (found->nr)
		qsort(found->all, found->nr, sizeof(*found->all), by_name);
}

void vulnerabilities_free(struct vulnerabilities *found)
{
	free(found->all);
	memset(found, 0, sizeof(*found));
}

bool vulnerability_is_none(const struct vulnerability *vulnerability)
{
	return !strcmp(vulnerability->text, "Not affected");
}
