/* SPDX-License-Identifier: GPL-2.0 */
/* What json*.c share. */
#ifndef JSON_PARTS_H
#define JSON_PARTS_H

#include <stdint.h>
#include <stdio.h>

#include "nl/nl.h"
#include "report/json_write.h"

struct json_object;

struct event;

#define JSON_EVENT_SCHEMA "ktrace.event/1"

/* What is known of each event of the kernel's side: of what kind, when, where and whose. */
struct json_object *json_event_of(const struct event *event, const char *comm);
struct json_object *json_session_of(const struct knl_session *session);

/* Of a request: of a file that has dev, major << 20 | minor; path NULL: it is not known. */
void json_add_file(struct json_object *to, uint64_t inode, uint32_t dev, const char *path);

/* A document of the session, whose window the head has (head.h). */
struct json_object *json_document_of(const struct knl_session *session);

#endif
