// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include <json-c/json.h>
#include <json-c/printbuf.h>

#include "report/json_write.h"
#include "util/mem.h"
#include "util/plain.h"

void json_add(struct json_object *to, const char *key, struct json_object *value)
{
	json_object_object_add(to, key, value);
}

void json_add_u64(struct json_object *to, const char *key, uint64_t value)
{
	char text[24];

	if (value <= JSON_EXACT) {
		json_add(to, key, json_object_new_int64(value));
		return;
	}
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	json_add_text(to, key, text);
}

void json_add_text(struct json_object *to, const char *key, const char *text)
{
	json_add(to, key, json_object_new_string(text));
}

size_t json_escape(char to[PLAIN_ESCAPE_LEN], const unsigned char *at, size_t left)
{
	size_t len = plain_escape(to, at, left);

	if (len == 1)
		snprintf(to, PLAIN_ESCAPE_LEN, "\\u%04x", plain_utf8_len(at, left) ? at[0] : 0xfffdu);
	return len;
}

/* Versions before 0.13 write each / as \/, which means the same. */
#ifndef JSON_C_TO_STRING_NOSLASHESCAPE
#define JSON_C_TO_STRING_NOSLASHESCAPE 0
#endif

/*
 * json-c escapes C0 controls in strings and passes all other bytes. Other characters that plain.h
 * does not allow are escaped here. The only line feeds in its output are between members.
 */
static void write_text(FILE *out, const char *text, size_t all)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + all;
	char escaped[PLAIN_ESCAPE_LEN];
	size_t len;

	for (; at < end; at += len) {
		len = *at == '\n' ? 1 : plain_char_len(at, end - at);
		if (len) {
			fwrite(at, 1, len, out);
			continue;
		}
		len = json_escape(escaped, at, end - at);
		fputs(escaped, out);
	}
}

void json_write(FILE *out, struct json_object *document, int flags)
{
	const char *text = json_object_to_json_string_ext(document, flags |
							  JSON_C_TO_STRING_NOSLASHESCAPE);

	write_text(out, text, strlen(text));
	fputc('\n', out);
	json_object_put(document);
}

char *json_members(struct json_object *document)
{
	const char *text = json_object_to_json_string_ext(document, JSON_C_TO_STRING_PLAIN |
							  JSON_C_TO_STRING_NOSLASHESCAPE);
	size_t all = strlen(text), len;
	char *members = NULL;
	FILE *out = open_memstream(&members, &len);

	if (!out)
		return mem_string("");
	if (all > 2)
		write_text(out, text + 1, all - 2);
	fclose(out);
	return members;
}

/* Prints the string without quotation marks. */
static int print_bare(struct json_object *object, struct printbuf *to, int level, int flags)
{
	(void)level;
	(void)flags;
	return printbuf_memappend(to, json_object_get_string(object),
				  json_object_get_string_len(object));
}

static struct json_object *json_number(const char *text)
{
	struct json_object *object = json_object_new_string(text);

	json_object_set_serializer(object, print_bare, NULL, NULL);
	return object;
}

void json_add_real(struct json_object *to, const char *key, const char *format, double value)
{
	char text[64];

	snprintf(text, sizeof(text), format, value);
	json_add(to, key, json_number(text));
}
