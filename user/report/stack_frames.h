/* SPDX-License-Identifier: GPL-2.0 */
/* Prints one stack, as text and in JSON. */
#ifndef STACK_FRAMES_H
#define STACK_FRAMES_H

#include <stdbool.h>
#include <stdio.h>

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
/* Prints frames in the format of flame graphs: ";frame" each, the outermost first. */
void stack_print_folded(FILE *out, const struct stack *stack, size_t first);
/* Puts before and text; ':' replaces ';', which separates frames. */
void stack_put_folded(FILE *out, const char *before, const char *text);

/* Adds the frames as members of an object. */
void stack_add_json(struct json_object *to, const struct stack *stack, size_t first);

#endif
