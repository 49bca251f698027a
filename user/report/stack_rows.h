/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STACK_ROWS_H
#define STACK_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "nl/nl.h"
#include "report/stacks.h"
#include "session/threads.h"

struct graph;

struct names;

/*
 * Periods off the CPU that tasks of one name began on one stack, in one way; or calls of one
 * function from there.
 */
struct stack_row {
	const char *comm;	/* NULL: nobody knows */
	const char *kind;	/* "sleep" and the like; or the function */
	const struct stack *stack;	/* NULL: none was kept */
	size_t first;		/* frame that is shown: those before are the function, and ours */
	uint64_t calls;
	uint64_t total_ns;
	uint64_t max_ns;	/* 0: not known */
};

struct stack_rows {
	struct stack_row *rows;	/* by time, the longest first */
	size_t nr;
	bool is_of_calls;
	uint64_t calls, total_ns;	/* of all */
};

/* Of a session of KTRACE_F_SCHED with KTRACE_F_STACKS, by tid. 0 or a negative errno. */
int stack_rows_read(struct stack_rows *rows, struct knl *nl, const struct knl_session *session,
		    uint32_t read_flags, const struct threads *threads,
		    const struct stacks *stacks);
/* From a sorted graph. */
void stack_rows_take(struct stack_rows *rows, const struct graph *graph,
		     const struct threads *threads, const struct stacks *stacks);
/* Of a session of KTRACE_F_KERNEL with KTRACE_F_STACKS. 0 or a negative errno. */
int stack_rows_read_calls(struct stack_rows *rows, struct knl *nl,
			  const struct knl_session *session, uint32_t read_flags,
			  const struct names *names, const struct stacks *stacks);
void stack_rows_free(struct stack_rows *rows);

/* "[goes on]" and the like, behind the last frame of the kernel, or of the program; or NULL. */
const char *stack_end(const struct stack *stack, bool is_kernel);

/* How many frames lead from a function that was entered to us; function is as names have it. */
size_t stack_first(const struct stack *stack, const char *function);

/* Its frames from the one on, the innermost first, a line each; NULL: there is none. */
void stack_print(FILE *out, const struct stack *stack, size_t first);
/* Each row, then its frames, the innermost first. */
void stack_rows_print(FILE *out, const struct stack_rows *rows);
/* As flame graphs are made of: "comm;frame;frame us", the outermost frame first. */
void stack_rows_print_folded(FILE *out, const struct stack_rows *rows);

#endif
