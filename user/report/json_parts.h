/* SPDX-License-Identifier: GPL-2.0 */
/* What json*.c share. */
#ifndef JSON_PARTS_H
#define JSON_PARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "nl/nl.h"
#include "report/hist.h"
#include "report/json_write.h"

struct json_object;

/* The least and the most, percentiles between these, and the buckets. */
void json_add_distribution(struct json_object *to, const struct ktrace_stats *stats,
			   const struct hist *hist);
struct event;
/* What is known of each event of the kernel's side: of what kind, when, where and whose. */
struct json_object *json_event_of(const struct event *event, const char *comm);
struct json_object *json_buckets_of(const struct hist *hist);
struct json_object *json_session_of(const struct knl_session *session);
/* Is all there? */
void json_add_complete(struct json_object *to, const struct knl_session *session);

/* A document that begins with what it is of ... */
struct json_object *json_document_of(const struct knl_session *session);
/* ... and how long that was. */
struct json_object *json_gathered_of(const struct knl_session *session, uint64_t duration_ns);
/* All of it, with one list, on one line if is_line. Frees the list. */
void json_print_list(FILE *out, const struct knl_session *session, uint64_t duration_ns,
		     bool is_line, const char *name, struct json_object *list);

#endif
