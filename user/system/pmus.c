// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "system/cpus.h"
#include "system/pmus.h"
#include "util/lines.h"
#include "util/mem.h"
#include "util/number.h"

static int compare(const void *a, const void *b)
{
	const struct pmu *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static bool pmu_read(struct pmu *pmu, const char *folder, const char *name)
{
	char type[16];
	uint64_t number;
	char *path;

	if (!line_read(type, sizeof(type), "%s/%s/type", folder, name) ||
	    !number_parse(type, UINT32_MAX, &number))
		return false;
	pmu->type = number;
	path = mem_format("%s/%s/cpus", folder, name);
	pmu->nr_cpus = cpus_list(&pmu->cpus, path);
	free(path);
	pmu->name = mem_string(name);
	return true;
}

size_t pmus_list(struct pmu **pmus, const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	size_t nr = 0;

	*pmus = NULL;
	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "cpu_", 4))
			continue;
		*pmus = mem_grow(*pmus, nr, sizeof(**pmus));
		if (pmu_read(&(*pmus)[nr], folder, entry->d_name))
			nr++;
	}
	if (dir)
		closedir(dir);
	if (nr < 2) {
		pmus_free(*pmus, nr);
		*pmus = NULL;
		return 0;
	}
	qsort(*pmus, nr, sizeof(**pmus), compare);
	return nr;
}

void pmus_free(struct pmu *pmus, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		free(pmus[i].name);
		free(pmus[i].cpus);
	}
	free(pmus);
}
