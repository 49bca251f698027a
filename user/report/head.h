/* SPDX-License-Identifier: GPL-2.0 */
/* What every report begins with: what is traced, from when to when, by which command. */
#ifndef HEAD_H
#define HEAD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json_object;
struct knl_session;

/* The words of the command line, in the order in which they were typed. */
void head_set_words(char *const *words);
/* The command's name: "syscall", "read". */
void head_set_command(const char *name);
/* What is traced, for a sentence: "all processes". It is copied. */
void head_set_traced(const char *traced);
/* What is shown next counted then; ns, CLOCK_MONOTONIC. */
void head_set_window(uint64_t from, uint64_t to);

/* The line above a table; with an interval it begins with the time of day. */
void head_print(FILE *out, bool has_time_of_day);

/* A document that begins with "schema": ktrace.NAME/1, of the command if name is NULL. */
struct json_object *head_json(const char *name);
/* Behind that: is all there? lost: session_lost() of all that is in the document. */
void head_add_lost(struct json_object *to, uint64_t lost);

#endif
