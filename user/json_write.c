// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include <json-c/json.h>

#include "json_write.h"
#include "plain.h"

/* Writes what must not be shown as it is; returns its length. */
static size_t put_escape(FILE *out, const unsigned char *at, size_t left)
{
	char escaped[PLAIN_ESCAPE_LEN];
	size_t len = plain_escape(escaped, at, left);

	if (len > 1)
		fputs(escaped, out);
	else
		fprintf(out, "\\u%04x", plain_utf8_len(at, left) ? at[0] : 0xfffdu);
	return len;
}

/*
 * json-c escapes C0 controls in strings and lets all other bytes pass: here the rest of
 * plain.h is escaped, too. Its line feeds are those between members.
 */
void json_write(FILE *out, struct json_object *document, int flags)
{
	const char *text = json_object_to_json_string_ext(document, flags |
							  JSON_C_TO_STRING_NOSLASHESCAPE);
	const unsigned char *at = (const unsigned char *)text, *end = at + strlen(text);
	size_t len;

	while (at < end) {
		len = *at == '\n' ? 1 : plain_char_len(at, end - at);
		fwrite(at, 1, len, out);
		at += len ? len : put_escape(out, at, end - at);
	}
	fputc('\n', out);
	json_object_put(document);
}
