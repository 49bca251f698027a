// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

static void *checked(void *p)
{
	if (p)
		return p;
	fputs("ktrace: Out of memory; free some, or trace fewer functions with -f.\n", stderr);
	exit(125);
}

void *mem_alloc(size_t len)
{
	return checked(calloc(1, len ? len : 1));
}

void *mem_resize(void *p, size_t len)
{
	return checked(realloc(p, len ? len : 1));
}

char *mem_string(const char *text)
{
	return checked(strdup(text));
}

char *mem_format_args(const char *format, va_list args)
{
	char *text;

	return checked(vasprintf(&text, format, args) < 0 ? NULL : text);
}

char *mem_format(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = mem_format_args(format, args);
	va_end(args);
	return text;
}

/* Room doubles whenever nr is a power of two. */
void *mem_grow(void *array, size_t nr, size_t len)
{
	if (!(nr & (nr - 1)))
		array = checked(realloc(array, (nr ? nr * 2 : 1) * len));
	memset((char *)array + nr * len, 0, len);
	return array;
}
