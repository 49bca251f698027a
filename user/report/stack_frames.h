/* SPDX-License-Identifier: GPL-2.0 */
/* Writes one stack: as text, in JSON, and as a path. */
#ifndef STACK_FRAMES_H
#define STACK_FRAMES_H

#include <stdbool.h>
#include <stdio.h>

#include "report/paths.h"
#include "report/stacks.h"

struct json_object;

/*
 * Returns a text such as "[truncated]" for the end of the kernel's or the program's frames, or NULL.
 */
const char *stack_end(const struct stack *stack, bool is_kernel);

/*
 * Returns how many of the innermost frames lead from function, which is included, to its probe.
 * function is named as in struct names. Returns 0 if it is not on the stack.
 */
size_t stack_first(const struct stack *stack, const char *function);

/* Prints one line per frame, from frame first on, the innermost first. stack may be NULL. */
void stack_print(FILE *out, const struct stack *stack, size_t first);
/* Adds the frames to a path, the outermost first. Returns the path with the last one. */
size_t stack_add_path(struct paths *paths, size_t path, const struct stack *stack, size_t first);

/* Adds the frames as members of an object. */
void stack_add_json(struct json_object *to, const struct stack *stack, size_t first);

#endif
