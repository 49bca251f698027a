// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <string.h>

#include "report/record_value.h"
#include "uapi/ktrace_record.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/plain.h"

/* --- records ------------------------------------------------------------- */

static bool take_string(const struct ktr_record *event, struct value_place *place,
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

bool value_next(const struct ktr_record *event, const struct value_formats *formats,
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
	/* The upper half of the register is undefined for an int: -1 may arrive as 4294967295. */
	if ((!value->format || value->format == 'd') && value->number <= UINT32_MAX)
		value->number = (int64_t)(int32_t)value->number;
	return true;
}

/* --- text ---------------------------------------------------------------- */

char *value_utf8(const char *text, size_t *len)
{
	static const char unknown[] = "\xef\xbf\xbd";	/* U+FFFD */
	char *copy = mem_alloc(3 * *len + 1), *to = copy;
	size_t i, n;

	for (i = 0; i < *len; i += n ? n : 1) {
		n = plain_utf8_len((const unsigned char *)text + i, *len - i);
		memcpy(to, n ? text + i : unknown, n ? n : 3);
		to += n ? n : 3;
	}
	*len = to - copy;
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

void value_print_all(FILE *out, const struct ktr_record *event, const struct value_formats *formats)
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
