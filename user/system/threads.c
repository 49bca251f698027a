// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>

#include "system/threads.h"
#include "util/mem.h"
#include "util/number.h"

static void add_threads(int32_t **tids, size_t *nr, int32_t pid)
{
	char *path = mem_format("/proc/%d/task", pid);
	DIR *folder = opendir(path);
	struct dirent *entry;
	uint64_t tid;

	free(path);
	while (folder && (entry = readdir(folder))) {
		if (!number_parse(entry->d_name, INT32_MAX, &tid))
			continue;
		*tids = mem_grow(*tids, *nr, sizeof(**tids));
		(*tids)[(*nr)++] = tid;
	}
	if (folder)
		closedir(folder);
}

static int compare(const void *a, const void *b)
{
	const int32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* A process may be named twice. */
static size_t drop_doubles(int32_t *tids, size_t nr)
{
	size_t i, kept = 0;

	for (i = 0; i < nr; i++)
		if (!i || tids[i] != tids[i - 1])
			tids[kept++] = tids[i];
	return kept;
}

size_t threads_list(int32_t **tids, const int32_t *pids, size_t nr)
{
	size_t i, nr_tids = 0;

	*tids = NULL;
	for (i = 0; i < nr; i++)
		add_threads(tids, &nr_tids, pids[i]);
	if (nr_tids)
		qsort(*tids, nr_tids, sizeof(**tids), compare);
	return drop_doubles(*tids, nr_tids);
}

size_t threads_new(const int32_t *tids, size_t nr, const int32_t *known, size_t nr_known)
{
	size_t i, nr_new = 0;

	for (i = 0; i < nr; i++)
		nr_new += !nr_known ||
			  !bsearch(&tids[i], known, nr_known, sizeof(*known), compare);
	return nr_new;
}
