/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEM_H
#define MEM_H

#include <stdarg.h>
#include <stddef.h>

/*
 * Allocation that never fails: if memory is short, the program ends with a message and status 125,
 * which cmd_status() has for failures beside a program: nothing here knows whether there is one.
 */
void *mem_alloc(size_t len);	/* zeroed */
void *mem_resize(void *p, size_t len);
char *mem_string(const char *text);
char *mem_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *mem_format_args(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/*
 * Makes room for one more element in an array of nr. The new element is zeroed. Returns the array.
 */
void *mem_grow(void *array, size_t nr, size_t len);

#endif
