/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECORD_VALUE_H
#define RECORD_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "plan/value.h"
#include "session/event.h"
#include "uapi/ktrace.h"

/* One value of a record. */
struct value {
	uint8_t kind;		/* KTRACE_VALUE_* */
	uint8_t state;		/* KTRACE_STRING_* */
	char format;		/* d, u, x or s */
	uint64_t number;
	const char *text;	/* len bytes, not terminated */
	size_t len;
};

/* Where in a record's values one is; begins as all zero. */
struct value_place {
	unsigned int nr;	/* the next argument */
	size_t word;
};

/* The next value of an event. False: there is none. formats may be NULL: all d. */
bool value_next(const struct event *event, const struct value_formats *formats,
		struct value_place *place, struct value *value);

/* Values as in C, separated by commas; strings that are cut end with "...". */
void value_print_all(FILE *out, const struct event *event, const struct value_formats *formats);

/* Of a string that could be read, in quotes. */
void value_print_string(FILE *out, const struct value *value);

/* A string without bytes that are no UTF-8; to be freed. */
char *value_utf8(const char *text, size_t len);

#endif
