/* SPDX-License-Identifier: GPL-2.0 */
/* Parts shared by the json*.c files. */
#ifndef JSON_PARTS_H
#define JSON_PARTS_H

#include <stdint.h>
#include <stdio.h>

#include "nl/nl.h"
#include "report/json_write.h"

struct json_object;

struct json_object *json_session_of(const struct knl_session *session);

/* Returns a document of a session. The head (head.h) supplies its window. */
struct json_object *json_document_of(const struct knl_session *session);

#endif
