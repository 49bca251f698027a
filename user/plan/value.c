// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "plan/value.h"
#include "util/mem.h"

static struct value_rule *add(struct value_rules *rules, const char *text, size_t len)
{
	struct value_rule *rule;
	char *glob = mem_alloc(len + 1);

	memcpy(glob, text, len);
	rules->rules = mem_grow(rules->rules, rules->nr, sizeof(*rules->rules));
	rule = &rules->rules[rules->nr++];
	rule->functions.globs = mem_grow(NULL, 0, sizeof(*rule->functions.globs));
	rule->functions.globs[rule->functions.nr++] = glob;
	rule->text = text;
	return rule;
}

static bool is_format(char c)
{
	return c && strchr("duxs", c);
}

/* Parses the position of an argument and its format, for example "1" or "2/s". */
static bool parse_arg(const char *at, size_t len, struct value_formats *formats)
{
	unsigned int nr = at[0] - '1';

	if ((len != 1 && len != 3) || nr >= KTRACE_MAX_ARGS || formats->of[nr])
		return false;
	if (len == 3 && (at[1] != '/' || !is_format(at[2])))
		return false;
	formats->of[nr] = len == 3 ? at[2] : 'd';
	return true;
}

static bool parse_args(const char *at, struct value_formats *formats)
{
	size_t len;

	do {
		len = strcspn(at, ",");
		if (!parse_arg(at, len, formats))
			return false;
		at += len;
	} while (*at++);
	return true;
}

int value_add_args(struct value_rules *rules, const char *text, struct err *err)
{
	struct value_formats formats = { { 0 } };
	const char *at = strrchr(text, '@');

	if (!at || at == text || !parse_args(at + 1, &formats))
		return err_set(err, "--arg '%s' is not understood; name a function and its arguments from 1 to %d, as in open@1/s,2/x: /s string, /x hexadecimal, /u unsigned.",
			       text, KTRACE_MAX_ARGS);
	add(rules, text, at - text)->formats = formats;
	return 0;
}

int value_add_result(struct value_rules *rules, const char *text, struct err *err)
{
	size_t len = strlen(text);
	bool has_format = len > 2 && text[len - 2] == '/' && is_format(text[len - 1]);

	if (!len)
		return err_set(err, "--ret needs a function, as in --ret 'getenv/s'.");
	add(rules, text, has_format ? len - 2 : len)->formats.of[VALUE_RESULT] =
		has_format ? text[len - 1] : 'd';
	return 0;
}

void value_rules_free(struct value_rules *rules)
{
	while (rules->nr)
		match_free(&rules->rules[--rules->nr].functions);
	free(rules->rules);
	rules->rules = NULL;
}

/* "write@libc" matches "write@libc.so.6", too. */
static bool is_of_library(const char *glob, const char *name)
{
	size_t len = strlen(glob);

	return strchr(glob, '@') && !strncmp(glob, name, len) && !strncmp(name + len, ".so", 3);
}

void value_rule_apply(struct value_rule *rule, struct value_formats *formats)
{
	size_t i;

	rule->is_used = true;
	for (i = 0; i < sizeof(formats->of); i++)
		if (rule->formats.of[i])
			formats->of[i] = rule->formats.of[i];
}

void value_rules_apply(const struct value_rules *rules, const char *plain, const char *name,
		       struct value_formats *formats)
{
	struct value_rule *rule;

	for (rule = rules->rules; rule < rules->rules + rules->nr; rule++)
		if (match_name(&rule->functions, plain) || match_name(&rule->functions, name) ||
		    is_of_library(rule->functions.globs[0], name))
			value_rule_apply(rule, formats);
}

static uint8_t kind_of(char format)
{
	if (!format)
		return KTRACE_VALUE_NONE;
	return format == 's' ? KTRACE_VALUE_STRING : KTRACE_VALUE_INT;
}

void value_formats_merge(struct value_formats *to, const struct value_formats *from)
{
	size_t i;

	for (i = 0; i < sizeof(to->of); i++)
		if (!to->of[i])
			to->of[i] = from->of[i];
}

void value_formats_to(const struct value_formats *formats, struct ktrace_func *func)
{
	size_t i;

	for (i = 0; i < KTRACE_MAX_ARGS; i++)
		func->args[i] = kind_of(formats->of[i]);
	func->result = kind_of(formats->of[VALUE_RESULT]);
}

bool value_has_args(const struct value_formats *formats)
{
	size_t i;

	for (i = 0; i < KTRACE_MAX_ARGS; i++)
		if (formats->of[i])
			return true;
	return false;
}
