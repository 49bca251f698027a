// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../include/uapi/ktrace_record.h"
#include "mem.h"
#include "out.h"
#include "plain.h"
#include "value.h"

/* --- what is asked for --------------------------------------------------- */

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

/* "1", "2/s": the position, and how it is shown. */
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
		return err_set(err, "--ret wants a function, as in --ret 'getenv/s'.");
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

/* write@libc is write@libc.so.6 too. */
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

/* --- records ------------------------------------------------------------- */

static bool take_string(const struct event *event, struct value_place *place,
			struct value *value)
{
	uint64_t head = event->payload[place->word++];
	size_t nr_words;

	value->state = head >> 8;
	value->len = head & 0xff;
	nr_words = (value->len + 7) / 8;
	value->text = (const char *)(event->payload + place->word);
	place->word += nr_words;
	return place->word <= event->nr_payload;
}

bool value_next(const struct event *event, const struct value_formats *formats,
		struct value_place *place, struct value *value)
{
	uint64_t kinds = event->nr_payload ? event->payload[0] : 0;

	memset(value, 0, sizeof(*value));
	if (!place->word)
		place->word = 1;
	for (; place->nr < KTRACE_MAX_ARGS && !value->kind; place->nr++) {
		value->kind = kinds >> (8 * place->nr);
		value->format = !formats ? 0 :
				formats->of[event->id == EVENT_EXIT ? VALUE_RESULT : place->nr];
	}
	if (!value->kind || place->word >= event->nr_payload)
		return false;
	if (value->kind == KTRACE_VALUE_STRING)
		return take_string(event, place, value);
	value->number = event->payload[place->word++];
	/* What is above an int in its register is nobody's: that is why -1 is not 4294967295. */
	if ((!value->format || value->format == 'd') && value->number <= UINT32_MAX)
		value->number = (int64_t)(int32_t)value->number;
	return true;
}

/* --- text ---------------------------------------------------------------- */

char *value_utf8(const char *text, size_t len)
{
	static const char unknown[] = "\xef\xbf\xbd";	/* U+FFFD */
	char *copy = mem_alloc(3 * len + 1), *to = copy;
	size_t i, n;

	for (i = 0; i < len; i += n ? n : 1) {
		n = plain_utf8_len((const unsigned char *)text + i, len - i);
		memcpy(to, n ? text + i : unknown, n ? n : 3);
		to += n ? n : 3;
	}
	return copy;
}

static void print_escaped(FILE *out, unsigned char byte)
{
	switch (byte) {
	case '\n':
		fputs("\\n", out);
		break;
	case '\t':
		fputs("\\t", out);
		break;
	case '\r':
		fputs("\\r", out);
		break;
	default:
		out_put(out, "\\%03o", byte);
	}
}

void value_print_string(FILE *out, const struct value *value)
{
	size_t i, n;

	fputc('"', out);
	for (i = 0; i < value->len; i += n ? n : 1) {
		n = plain_char_len((const unsigned char *)value->text + i, value->len - i);
		if (!n)
			print_escaped(out, value->text[i]);
		else if (value->text[i] == '"' || value->text[i] == '\\')
			out_put(out, "\\%c", value->text[i]);
		else
			out_put(out, "%.*s", (int)n, value->text + i);
	}
	fputs(value->state == KTRACE_STRING_CUT ? "\"..." : "\"", out);
}

static void print(FILE *out, const struct value *value)
{
	if (value->kind == KTRACE_VALUE_STRING && value->state == KTRACE_STRING_NULL)
		fputs("NULL", out);
	else if (value->kind == KTRACE_VALUE_STRING && value->state == KTRACE_STRING_UNREADABLE)
		fputs("(unreadable)", out);
	else if (value->kind == KTRACE_VALUE_STRING)
		value_print_string(out, value);
	else if (value->format == 'x')
		out_put(out, "0x%" PRIx64, value->number);
	else if (value->format == 'u')
		out_put(out, "%" PRIu64, value->number);
	else
		out_put(out, "%" PRId64, (int64_t)value->number);
}

void value_print_all(FILE *out, const struct event *event, const struct value_formats *formats)
{
	struct value_place place = { 0, 0 };
	struct value value;
	bool is_first = true;

	while (value_next(event, formats, &place, &value)) {
		if (!is_first)
			fputs(", ", out);
		print(out, &value);
		is_first = false;
	}
}
