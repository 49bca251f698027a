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

/* The position in the values of a record. Starts as all zeroes. */
struct value_place {
	unsigned int nr;	/* number of the next argument */
	size_t word;
};

/* Takes the next value of an event. Returns false at the end. formats may be NULL: all are d. */
bool value_next(const struct ktr_record *event, const struct value_formats *formats,
		struct value_place *place, struct value *value);

/* Prints values as in C, separated by commas. A cut string ends with "...". */
void value_print_all(FILE *out, const struct ktr_record *event, const struct value_formats *formats);

/* Prints a string that was readable, in quotes. */
void value_print_string(FILE *out, const struct value *value);

/* Returns a copy, of *len bytes, in which U+FFFD replaces invalid UTF-8. The caller frees it. */
char *value_utf8(const char *text, size_t *len);

#endif
