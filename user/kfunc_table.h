/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KFUNC_TABLE_H
#define KFUNC_TABLE_H

#include <stdio.h>

#include "chain_rows.h"
#include "kfunc_by.h"
#include "rows.h"
#include "stack_rows.h"

/* Kernel functions, a line each, in the order of the rows. */
void kfunc_table_print(FILE *out, const struct rows *rows);

/* The same as a document. by may be NULL. */
void json_print_kfuncs(FILE *out, const struct knl_session *session, const struct rows *rows,
		       const struct kfunc_by *by, uint64_t duration_ns, bool is_line);
/* Of a session with KTRACE_F_STACKS. */
void json_print_callers(FILE *out, const struct knl_session *session, const struct rows *rows,
			const struct stack_rows *stacks, uint64_t duration_ns, bool is_line);
/* Of a session with KTRACE_F_ERRORS. */
void json_print_chains(FILE *out, const struct knl_session *session, const struct rows *rows,
		       const struct chain_rows *chains, uint64_t duration_ns, bool is_line);

#endif
