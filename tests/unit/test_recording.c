// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the document of each session of recordings, or why one cannot be read, under ASan. What it
 * has to print is in tests/keep/reading.py. "ctf FROM TO DEPTH" writes a trace (tests/keep/copying.py).
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "keep/ctf_copy.h"
#include "keep/measured.h"

/* Writes a trace of a recording, with calls of so many levels; 0: all. */
static int copy(const char *from, const char *to, unsigned int depth)
{
	const struct filter filter = { .to = UINT64_MAX, .max_depth = depth };
	struct measuring measuring = { .all = NULL };
	struct recording *recording;
	struct ctf_copy *copy;
	struct err err;
	int error;

	recording = recording_open(from, &err);
	copy = recording ? ctf_copy_open(to, false, &err) : NULL;
	error = !copy || measuring_open(&measuring, recording, NULL, &filter, &err) ||
		ctf_copy_write(copy, &measuring, &filter, NULL, &err);
	if (error)
		fprintf(stderr, "%s\n", err.text);
	if (copy)
		ctf_copy_close(copy);
	measuring_free(&measuring);
	recording_free(recording);
	return error;
}

int main(int argc, char **argv)
{
	struct json_object *document;
	struct err err;
	bool is_part;
	int i;

	if (argc == 5 && !strcmp(argv[1], "ctf"))
		return copy(argv[2], argv[3], atoi(argv[4]));
	for (i = 1; i < argc; i++) {
		document = recording_document(argv[i], NULL, &is_part, &err);
		printf("%s\n", document ? json_object_to_json_string(document) : err.text);
		json_object_put(document);
	}
	return 0;
}
