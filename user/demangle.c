// SPDX-License-Identifier: GPL-2.0
/* C++ and Rust names, by libiberty. */
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "demangle.h"
#include "mem.h"

char *demangle(const char *symbol)
{
	char *name = NULL;

	if (symbol[0] == '_')
		name = cplus_demangle(symbol, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
	return name ? name : mem_string(symbol);
}

/*
 * The parameters are the last group of parentheses at nesting depth 0. What is
 * in front of them may hold others: "operator()(int)", "(anonymous namespace)::f()".
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
