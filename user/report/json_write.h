/* SPDX-License-Identifier: GPL-2.0 */
#ifndef JSON_WRITE_H
#define JSON_WRITE_H

#include <stdint.h>
#include <stdio.h>

#include "util/plain.h"

#define JSON_EXACT (1LL << 53)	/* a double represents all integers up to this one */

struct json_object;

void json_add(struct json_object *to, const char *key, struct json_object *value);
/*
 * Values above 2^53 become strings, because readers with floating-point numbers would round them.
 */
void json_add_u64(struct json_object *to, const char *key, uint64_t value);
void json_add_text(struct json_object *to, const char *key, const char *text);

/* Writes the escape of a character that plain.h does not allow. Returns the character's length. */
size_t json_escape(char to[PLAIN_ESCAPE_LEN], const unsigned char *at, size_t left);

/* Returns the text of a document without its braces, which the caller frees. */
char *json_members(struct json_object *document);
/* Writes one line, or several with JSON_C_TO_STRING_PRETTY, as valid UTF-8. Frees the document. */
void json_write(FILE *out, struct json_object *document, int flags);

/*
 * Adds a number with exactly the digits of this format. json-c supports integers up to 2^63 only,
 * and its version 0.11 writes reals with six digits after the point.
 */
void json_add_real(struct json_object *to, const char *key, const char *format, double value);

#endif
