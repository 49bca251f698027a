/* SPDX-License-Identifier: GPL-2.0 */
#ifndef JSON_H
#define JSON_H

#include <stddef.h>

#include "client/client.h"
#include "report/graph.h"
#include "report/table.h"
#include "session/names.h"

struct json_object;

struct json_object *json_counters_of(const struct ktrace_counters *counters);
/* Sets the counter with this name in documents. Other names are ignored. */
void json_take_counter(struct ktrace_counters *to, const char *name, uint64_t value);
struct json_object *json_session_of(const struct ktr_session *session);
/* Returns a document of a session. The head (head.h) supplies its window. */
struct json_object *json_document_of(const struct ktr_session *session);

/* A table of a document, as a list with this name. */
struct json_table {
	const char *name;
	const struct table *table;	/* NULL: omitted */
};
/* A document: the tables of a window. */
struct json_object *tables_document(const struct ktr_session *session,
				    const struct json_table *tables, size_t nr);

/* A document: functions and their tree, with marks of its rows. graph may be NULL. */
struct json_object *functions_document(const struct ktr_session *session,
				       const struct table *functions, const struct graph *graph,
				       const struct names *names);
/* A document: one row per session. */
struct json_object *sessions_document(const struct ktr_session *sessions, size_t nr);

/* The document after the last record: the session, and whether the trace is complete. */
struct json_object *json_end(const struct ktr_session *session);

#endif
