/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FACTS_FILE_H
#define FACTS_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "util/err.h"

struct json_object;

/*
 * What a recording has besides packets: the file ktrace.jsonl, with one JSON document per line. Lines
 * are only appended, and are written whole. While the file is open for writing, it is locked
 * (flock). The disk keeps room for the last lines, which are written when it is full.
 */
struct facts_file {
	int fd;		/* -1: not open */
	off_t len;
	FILE *out;	/* lines that are not written yet */
	char *text;
	size_t text_len;
	bool is_unsynced;
};

/* Creates the file. Returns 0 or a negative errno. */
int facts_file_create(struct facts_file *facts, int folder);
void facts_file_close(struct facts_file *facts);

/* Adds a line. Frees the document. */
void facts_file_put(struct facts_file *facts, struct json_object *document);
/*
 * Writes the lines that were added. Returns 0, or a negative errno; they are then dropped. is_last:
 * into the room that was kept.
 */
int facts_file_write(struct facts_file *facts, bool is_last);
/* Waits until all lines are on the disk. Returns 0 or a negative errno. */
int facts_file_sync(struct facts_file *facts);

#endif
