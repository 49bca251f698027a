/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VALUE_H
#define VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/ktrace.h"
#include "util/err.h"
#include "util/match.h"

/*
 * The formats of a function's arguments, followed by the format of its result: d, u, x, s, or 0 if
 * the value is not recorded.
 */
#define VALUE_RESULT KTRACE_MAX_ARGS
struct value_formats {
	char of[KTRACE_MAX_ARGS + 1];
};

/* One option -A or -R. */
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

/* Parse "FUNC@1,2/s,3/x" and "FUNC/x"; FUNC may be FILE:NAME. Return 0, or -1 with err set. */
int value_add_args(struct value_rules *rules, const char *text, struct err *err);
int value_add_result(struct value_rules *rules, const char *text, struct err *err);
void value_rules_free(struct value_rules *rules);

/* Adds the formats of all rules that match one of the names, and marks these rules as used. */
void value_rules_apply(const struct value_rules *rules, const char *plain, const char *name,
		       struct value_formats *formats);

/* Adds the formats of one rule, and marks it as used. */
void value_rule_apply(struct value_rule *rule, struct value_formats *formats);

/* Adds formats for values that have none yet. */
void value_formats_merge(struct value_formats *to, const struct value_formats *from);

/* Sets the kinds of values for the module. */
void value_formats_to(const struct value_formats *formats, struct ktrace_func *func);
/* Returns true if an argument is recorded. */
bool value_has_args(const struct value_formats *formats);

#endif
