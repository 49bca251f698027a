/* SPDX-License-Identifier: GPL-2.0 */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "nl/nl.h"
#include "report/graph.h"
#include "report/table.h"
#include "session/event.h"
#include "session/names.h"

/* Functions and their tree as a document, on one line if is_line. graph may be NULL. */
void json_print_functions(FILE *out, const struct knl_session *session, bool is_line,
			  const struct table *functions, const struct graph *graph,
			  const struct names *names);

/* Rows of a window, on one line if is_line. Frees the list. */
struct json_object;
void json_print_list(FILE *out, const struct knl_session *session, bool is_line,
		     struct json_object *list);

/* An event as one line. */
void json_print_event(FILE *out, const struct event *event, const struct names *names);

/* That records are missing there, as one line. */
void json_print_gap(FILE *out, const struct event *gap);

/* The last line after the events: the session and whether all is there. */
void json_print_end(FILE *out, const struct knl_session *session);

/* A row for each session. */
void json_print_sessions(FILE *out, const struct knl_session *sessions, size_t nr);

#endif
