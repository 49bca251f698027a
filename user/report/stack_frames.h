/* SPDX-License-Identifier: GPL-2.0 */
/* One stack, as a text and in JSON. */
#ifndef STACK_FRAMES_H
#define STACK_FRAMES_H

#include <stdbool.h>
#include <stdio.h>

#include "report/stacks.h"
#include "session/event.h"

struct json_object;

/* "[goes on]" and the like, behind the last frame of the kernel, or of the program; or NULL. */
const char *stack_end(const struct stack *stack, bool is_kernel);

/* How many frames lead from a function that was entered to us; function is as names have it. */
size_t stack_first(const struct stack *stack, const char *function);

/* Its frames from the one on, the innermost first, a line each; NULL: there is none. */
void stack_print(FILE *out, const struct stack *stack, size_t first);
/* As flame graphs have it: ";frame" each, the outermost first. */
void stack_print_folded(FILE *out, const struct stack *stack, size_t first);
/* What separates frames there must not be in a text. */
void stack_put_folded(FILE *out, const char *before, const char *text);

/* Members of an object. */
void stack_add_json(struct json_object *to, const struct stack *stack, size_t first);
/*
 * null: it has none; nothing: none was asked for. Of a function that was entered, or NULL, its
 * callers alone.
 */
void json_add_event_stack(struct json_object *to, const struct event *event,
			  const struct stacks *stacks, const char *function);

#endif
