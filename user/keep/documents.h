/* SPDX-License-Identifier: GPL-2.0 */
#ifndef DOCUMENTS_H
#define DOCUMENTS_H

#include <stdint.h>
#include <sys/types.h>

#include "client/client.h"
#include "report/stacks.h"
#include "session/names.h"
#include "session/unwinder.h"

struct json_object;

/* The lines of ktrace.jsonl, one function per kind. A session is named by its place in the file. */

/* What is recorded, for the first line. */
struct document_subject {
	char *const *command;	/* words, with a NULL behind the last */
	char *const *program;	/* ends with NULL; NULL: no program is run */
	const int32_t *pids;	/* of the program, or of the processes that are traced */
	size_t nr_pids;
	const char *boot;
	struct ktrace_clocks begin;
};

struct json_object *document_recording(const struct document_subject *subject);
struct json_object *document_session(size_t index, const struct ktr_session *session,
				     const char *folder, char *const *command);
struct json_object *document_file(size_t index, size_t nr, const struct names_file *file);
struct json_object *document_function(size_t index, uint32_t func, const struct names *names);
struct json_object *document_task(pid_t pid, const char *comm);
struct json_object *document_stack(size_t index, uint32_t nr, const struct stack *stack);
/* A file with code of traced programs, and how frames in it were found. */
struct json_object *document_unwound(size_t index, const struct unwound *file);
struct json_object *document_disk(uint32_t dev, const char *name);
struct json_object *document_inode(uint32_t dev, uint64_t ino, const char *path);
struct json_object *document_clock(const struct ktrace_clocks *clocks);
/* The event that fired a trigger. condition: as it was given; name: of its function; or NULL. */
struct json_object *document_trigger(size_t index, const struct ktrace_triggered *seen,
				     const char *condition, const char *name);
/* nr_records: that were written. why: a clause, such as "the program ended". */
struct json_object *document_end(size_t index, const struct ktr_session *session,
				 uint64_t nr_records, const char *why);

#endif
