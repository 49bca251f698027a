/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CHECKS_H
#define CHECKS_H

#include <stddef.h>
#include <stdio.h>

/* The checks of ktrace doctor, in the order of output. */
enum check_status { CHECK_OK, CHECK_NOTE, CHECK_MISSING };

struct check {
	const char *name;
	enum check_status status;
	char *text;	/* what was found */
	char *fix;	/* the commands that help, one per line, or NULL */
};

struct checks {
	struct check *checks;
	size_t nr;
};

/* Adds a check. Takes ownership of text and fix. */
void checks_add(struct checks *checks, const char *name, enum check_status status, char *text,
		char *fix);
size_t checks_count_missing(const struct checks *checks);
void checks_print(FILE *out, const struct checks *checks);
struct json_object *checks_document(const struct checks *checks);
void checks_free(struct checks *checks);

#endif
