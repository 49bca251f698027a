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

#endif
