// SPDX-License-Identifier: GPL-2.0
/*
 * C++ and Rust names, through libiberty. A short symbol may stand for a name of 2^100 letters,
 * since both languages let a part refer to previous parts. A jump therefore leaves the printer when
 * a name becomes too long to be readable. This is safe, because the printer holds no resources
 * except its stack.
 */
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* In el7, the header is in no folder, and the compiler does not have __has_include. */
#ifdef __has_include
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif

#include "util/demangle.h"
#include "util/mem.h"

#define MAX_SYMBOL 4096
#define MAX_NAME 8192

struct name {
	char text[MAX_NAME];
	size_t len;
	jmp_buf too_long;
};

static void add(const char *text, size_t len, void *arg)
{
	struct name *name = arg;

	if (len >= sizeof(name->text) - name->len)
		longjmp(name->too_long, 1);
	/* text may be NULL if len is 0. */
	if (len)
		memcpy(name->text + name->len, text, len);
	name->len += len;
}

typedef int demangler(const char *symbol, int options, demangle_callbackref add, void *arg);

static bool is_understood(demangler *demangle, const char *symbol, struct name *name)
{
	name->len = 0;
	if (setjmp(name->too_long))
		return false;
	return demangle(symbol, DMGL_PARAMS | DMGL_ANSI, add, name) && name->len;
}

/* Older Rust names look like C++ names that end with a hash of 17 characters. */
static bool is_rust(const char *symbol, struct name *name)
{
#ifdef NO_RUST_DEMANGLE
	(void)symbol;
	(void)name;
	return false;
#else
	return (symbol[1] == 'R' || strstr(symbol, "17h")) &&
	       is_understood(rust_demangle_callback, symbol, name);
#endif
}

char *demangle(const char *symbol)
{
	struct name name;

	if (symbol[0] == '_' && strnlen(symbol, MAX_SYMBOL) < MAX_SYMBOL &&
	    (is_rust(symbol, &name) || is_understood(cplus_demangle_v3_callback, symbol, &name)))
		return mem_format("%.*s", (int)name.len, name.text);
	return mem_string(symbol);
}

/*
 * The parameters are the last group of parentheses at nesting depth 0. The part in front of them
 * may contain other parentheses: "operator()(int)", "(anonymous namespace)::f()".
 */
size_t demangle_base_len(const char *name)
{
	const char *at = strrchr(name, ')');
	int depth = 0;

	for (; at && at > name; at--) {
		if (*at == ')' || *at == '>')
			depth++;
		else if (*at == '(' || *at == '<')
			depth--;
		if (!depth)
			break;
	}
	return at && at > name && *at == '(' ? (size_t)(at - name) : strlen(name);
}

char *demangle_base(const char *name)
{
	char *base = mem_string(name);

	base[demangle_base_len(name)] = 0;
	return base;
}
