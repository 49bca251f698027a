/* SPDX-License-Identifier: GPL-2.0 */
/* Parts shared by the json*.c files. */
#ifndef JSON_PARTS_H
#define JSON_PARTS_H

#include <stdint.h>
#include <stdio.h>

#include "nl/nl.h"
#include "report/json_write.h"

struct json_object;

struct event;

#define JSON_EVENT_SCHEMA "ktrace.event/1"

/* Returns the members that all events of kernel providers have: kind, time, CPU and task. */
struct json_object *json_event_of(const struct event *event, const char *comm);
struct json_object *json_session_of(const struct knl_session *session);

/* Adds the file of a request. dev: major << 20 | minor; path: NULL if it is not known. */
void json_add_file(struct json_object *to, uint64_t inode, uint32_t dev, const char *path);

/* Returns a document of a session. The head (head.h) supplies its window. */
struct json_object *json_document_of(const struct knl_session *session);

#endif
