/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SYSCALL_TABLE_H
#define SYSCALL_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "nl/nl.h"
#include "report/syscall_rows.h"
#include "util/match.h"

/* The table that strace -c prints, wider if asked to; a table a thread, and a table of 32 bits. */
void syscall_table_print(FILE *out, const struct syscall_rows *rows, bool is_wide);

/* Of rows from first on: what they did to the page cache, those left out that did nothing. */
void syscall_table_print_pages(FILE *out, const struct syscall_row *first,
			       const struct syscall_row *end);

/* Histograms of calls by name. */
void syscall_table_print_hists(FILE *out, const struct syscall_rows *rows,
			       const struct match *names);

/* A list of them. */
struct json_object;
struct json_object *json_syscalls_of(const struct syscall_rows *rows, bool has_cpu_time);

/* As a document, on one line if is_line. */
void json_print_syscalls(FILE *out, const struct knl_session *session,
			 const struct syscall_rows *rows, uint64_t duration_ns, bool is_line);

#endif
