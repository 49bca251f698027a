/* SPDX-License-Identifier: GPL-2.0 */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "nl/nl.h"
#include "report/graph.h"
#include "report/table.h"
#include "session/names.h"

/* Prints functions and their tree as a document, on one line if is_line. graph may be NULL. */
void json_print_functions(FILE *out, const struct knl_session *session, bool is_line,
			  const struct table *functions, const struct graph *graph,
			  const struct names *names);

/* Prints the rows of a window, on one line if is_line. Frees the list. */
struct json_object;
void json_print_list(FILE *out, const struct knl_session *session, bool is_line,
		     struct json_object *list);

/* Prints the line after the last event: the session, and whether the trace is complete. */
void json_print_end(FILE *out, const struct knl_session *session);

/* Prints one row per session. */
void json_print_sessions(FILE *out, const struct knl_session *sessions, size_t nr);

#endif
