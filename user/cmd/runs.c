// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/runs.h"
#include "keep/snapshots.h"
#include "util/fmt.h"
#include "util/out.h"
#include "util/own_folder.h"

int runs_open(struct runs *runs, const struct recorder_options *options, unsigned int most,
	      struct err *err)
{
	*runs = (struct runs){ .path = own_folder_path(options->path), .most = most };
	runs->folder = snapshots_open(runs->path, options->is_forced, &runs->is_new, err);
	return runs->folder < 0 ? -1 : 0;
}

struct recorder *runs_begin(const struct runs *runs, struct ktr *ktr,
			    const struct recorder_options *options, struct err *err)
{
	int error = runs->nr == 1 ? snapshots_remove(runs->folder) : 0;
	struct recorder_options of_run = *options;
	struct recorder *recorder;
	char *path;

	if (error) {
		err_set(err, "The former recording in %s cannot be removed: %s.", runs->path,
			strerror(-error));
		return NULL;
	}
	path = snapshots_path(runs->path, runs->nr);
	of_run.path = path;
	of_run.is_forced = false;
	recorder = recorder_open(ktr, &of_run, err);
	free(path);
	return recorder;
}

void runs_tell_sum(const struct runs *runs, const struct recorder *recorder)
{
	struct recorder_sum sum = recorder_sum(recorder);
	char bytes[FMT_LEN];

	out_put(stderr, "ktrace: run %u of %u: %llu records, %s, in %.1f s\n", runs->nr, runs->most,
		(unsigned long long)sum.records, fmt_bytes(bytes, sum.bytes), sum.ns / 1e9);
}

void runs_tell_all(const struct runs *runs, unsigned int nr)
{
	if (nr < runs->most)
		out_put(stderr, "ktrace: %u of %u runs were recorded.\n", nr, runs->most);
	if (nr)
		out_put(stderr, "ktrace: next: ktrace diff %s OTHER, or ktrace report %s/0001\n",
			runs->path, runs->path);
}

void runs_close(struct runs *runs)
{
	if (!runs->path)
		return;
	if (runs->folder >= 0)
		close(runs->folder);
	if (runs->is_new)
		rmdir(runs->path);
	free(runs->path);
	runs->path = NULL;
}
