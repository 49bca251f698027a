/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ROTATION_H
#define ROTATION_H

#include <stdbool.h>
#include <stdint.h>

#include "keep/recorder.h"

/* What --rotate SIZE,N chooses. */
struct rotation_options {
	uint64_t size;		/* bytes of packets in a part; 0: there are no parts */
	uint64_t nr_kept;	/* newest parts that stay */
};

/* Returns 0, or -1 with err set. */
int rotation_parse(struct rotation_options *options, const char *text, struct err *err);

/* A recording in parts: DIR/0001, DIR/0002, ..., of which the newest stay. Each is a recording. */
struct rotation {
	struct rotation_options options;
	struct recorder_options recorder;
	char *path;
	int folder;
	bool is_new;		/* the folder was created */
	unsigned int nr;	/* of the current part */
	struct recorder_sum sum;	/* of the parts before */
};

/* Checks the folder, and creates it; changes nothing in it. Returns 0, or -1 with err set. */
int rotation_open(struct rotation *rotation, struct err *err);
/* Removes former parts. Returns 0, or -1 with err set. */
int rotation_begin(struct rotation *rotation, struct err *err);
/* Creates the next part, and removes an old one. Returns NULL with err set. */
struct recorder *rotation_next(struct rotation *rotation, struct ktr *ktr, struct err *err);
/* Is the part as large as it may be? */
bool rotation_is_due(const struct rotation *rotation, const struct recorder *recorder);
/* Ends a part, and closes it. Returns 0, or -1 with err set. */
int rotation_cut(struct rotation *rotation, struct recorder *recorder, struct err *err);
/* Reports on stderr what was written. recorder: the last part, or NULL if it could not be begun. */
void rotation_tell_sum(const struct rotation *rotation, const struct recorder *recorder);
/* Removes the folder if it is new and empty. */
void rotation_abandon(const struct rotation *rotation);
void rotation_close(struct rotation *rotation);

#endif
