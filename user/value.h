/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VALUE_H
#define VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../include/uapi/ktrace.h"
#include "err.h"
#include "event.h"
#include "match.h"

/*
 * How the arguments of a function are shown, and behind them its result: d, u, x,
 * s, or 0 where they are not recorded.
 */
#define VALUE_RESULT KTRACE_MAX_ARGS
struct value_formats {
	char of[KTRACE_MAX_ARGS + 1];
};

/* What -A and -R ask for. */
struct value_rule {
	struct match functions;
	const char *text;
	struct value_formats formats;
	bool is_used;
};

struct value_rules {
	struct value_rule *rules;
	size_t nr;
};

/* "FUNC@1,2/s,3/x" and "FUNC/x", where FUNC may be FILE:NAME; 0, or -1 with err set. */
int value_add_args(struct value_rules *rules, const char *text, struct err *err);
int value_add_result(struct value_rules *rules, const char *text, struct err *err);
void value_rules_free(struct value_rules *rules);

/* Adds what is asked for a function of these names; marks what was used. */
void value_rules_apply(const struct value_rules *rules, const char *plain, const char *name,
		       struct value_formats *formats);

/* The same by one rule alone. */
void value_rule_apply(struct value_rule *rule, struct value_formats *formats);

/* What the other has and this one has not. */
void value_formats_merge(struct value_formats *to, const struct value_formats *from);

/* To and from the kinds that the module is told; is there an argument? */
void value_formats_to(const struct value_formats *formats, struct ktrace_func *func);
bool value_has_args(const struct value_formats *formats);

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
