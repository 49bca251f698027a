/* SPDX-License-Identifier: GPL-2.0 */
#ifndef JSON_WRITE_H
#define JSON_WRITE_H

#include <stdint.h>
#include <stdio.h>

struct json_object;

void json_add(struct json_object *to, const char *key, struct json_object *value);
/* Beyond 2^53, which readers with floating point numbers cannot tell apart, it is a string. */
struct json_object *json_u64(uint64_t value);
struct json_object *json_s64(int64_t value);
void json_add_u64(struct json_object *to, const char *key, uint64_t value);
void json_add_text(struct json_object *to, const char *key, const char *text);

/* One line, or lines with JSON_C_TO_STRING_PRETTY: valid UTF-8 whatever it holds. Frees it. */
void json_write(FILE *out, struct json_object *document, int flags);

/*
 * A number with just these digits: json-c ends at 2^63, and its 0.11 writes reals with six digits
 * behind the point.
 */
struct json_object *json_number(const char *text);

#endif
