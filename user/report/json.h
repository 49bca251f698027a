/* SPDX-License-Identifier: GPL-2.0 */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "nl/nl.h"
#include "report/graph.h"
#include "report/table.h"
#include "session/names.h"

struct json_object;

struct json_object *json_session_of(const struct knl_session *session);
/* Returns a document of a session. The head (head.h) supplies its window. */
struct json_object *json_document_of(const struct knl_session *session);

/* Prints functions and their tree as a document, on one line if is_line. graph may be NULL. */
void json_print_functions(FILE *out, const struct knl_session *session, bool is_line,
			  const struct table *functions, const struct graph *graph,
			  const struct names *names);

/* A table of a document, as a list with this name. */
struct json_table {
	const char *name;
	const struct table *table;	/* NULL: omitted */
};

/* Prints the tables of a window, on one line if is_line. */
void json_print_tables(FILE *out, const struct knl_session *session, bool is_line,
		       const struct json_table *tables, size_t nr);

/* Prints the line after the last event: the session, and whether the trace is complete. */
void json_print_end(FILE *out, const struct knl_session *session);

/* Prints one row per session. */
void json_print_sessions(FILE *out, const struct knl_session *sessions, size_t nr);

#endif
