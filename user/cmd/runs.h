/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RUNS_H
#define RUNS_H

#include <stdbool.h>

#include "keep/recorder.h"

/* A folder with a recording of each run of a program (--repeat): DIR/0001, DIR/0002, ... */
struct runs {
	char *path;		/* NULL: there is one run, and no such folder */
	int folder;
	bool is_new;		/* the folder was created */
	unsigned int nr, most;	/* of the current run, and of all */
};

/* Checks the folder, and creates it; changes nothing in it. Returns 0, or -1 with err set. */
int runs_open(struct runs *runs, const struct recorder_options *options, unsigned int most,
	      struct err *err);
/* Creates the recording of this run; the first one removes former runs. Returns NULL with err set. */
struct recorder *runs_begin(const struct runs *runs, struct ktr *ktr,
			    const struct recorder_options *options, struct err *err);
/* Reports on stderr what was written in this run. */
void runs_tell_sum(const struct runs *runs, const struct recorder *recorder);
/* Reports on stderr how many runs there are. */
void runs_tell_all(const struct runs *runs, unsigned int nr);
/* Removes the folder if it is new and empty. */
void runs_close(struct runs *runs);

#endif
