/* SPDX-License-Identifier: GPL-2.0 */
#ifndef JSON_H
#define JSON_H

#include <stddef.h>

#include "nl/nl.h"
#include "report/graph.h"
#include "report/table.h"
#include "session/names.h"

struct json_object;

/* A document: functions and their tree. graph may be NULL. */
struct json_object *functions_document(const struct knl_session *session,
				       const struct table *functions, const struct graph *graph,
				       const struct names *names);
/* A document: the rows of a window. Takes ownership of the list. */
struct json_object *rows_document(const struct knl_session *session, struct json_object *rows);
/* A document: one row per session. */
struct json_object *sessions_document(const struct knl_session *sessions, size_t nr);

/* The document after the last record: the session, and whether the trace is complete. */
struct json_object *json_end(const struct knl_session *session);

#endif
