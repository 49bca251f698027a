// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the document of each session of recordings, or why one cannot be read, under ASan. What it
 * has to print is in tests/keep/reading.py.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "keep/measured.h"

int main(int argc, char **argv)
{
	struct json_object *document;
	struct err err;
	bool is_part;
	int i;

	for (i = 1; i < argc; i++) {
		document = recording_document(argv[i], NULL, &is_part, &err);
		printf("%s\n", document ? json_object_to_json_string(document) : err.text);
		json_object_put(document);
	}
	return 0;
}
