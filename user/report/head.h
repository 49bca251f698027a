/* SPDX-License-Identifier: GPL-2.0 */
/* The head of every report: what was traced, from when to when, by which command. */
#ifndef HEAD_H
#define HEAD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json_object;
struct ktr_session;

/* Sets the words of the command line, in the order in which they were typed. */
void head_set_words(char *const *words);
/* Where and when a recording was made, in place of this machine, and this command. */
struct head_origin {
	const char *host, *kernel;
	char *const *words;	/* of the command line, ends with NULL; NULL: this command's */
	uint64_t nr_cpus;
};
/* What origin points to must stay as it is. */
void head_set_origin(const struct head_origin *origin);
/* Sets the name of the command, such as "syscall" or "read". */
void head_set_command(const char *name);
const char *head_command(void);
/* Sets what is traced, in words: "all processes". Copies the string. */
void head_set_traced(const char *traced);
/* Sets the window that the next report covers; ns, CLOCK_MONOTONIC. */
void head_set_window(uint64_t from, uint64_t to);
/* Sets the length that was asked for, ns: the line above a table says if it is exceeded. */
void head_set_asked(uint64_t ns);

/* Sets whether reports follow each other: the line above a table begins with the time of day. */
void head_set_repeated(bool is_repeated);

/*
 * Returns a title for a picture: "ktrace run: ls (4711), 0.012 s", without control
 * characters. The caller frees it.
 */
char *head_title(void);
/* Prints the line above a table. */
void head_print(FILE *out);

/* Returns the times at which the window begins and ends; ns, CLOCK_REALTIME. */
uint64_t head_begin(uint64_t *end);
/* Returns a document with "schema": ktrace.NAME/1, where NAME is the command if name is NULL. */
struct json_object *head_json(const char *name);
/* Adds whether the document is complete. lost: session_lost() of all sessions in the document. */
void head_add_lost(struct json_object *to, uint64_t lost);

#endif
