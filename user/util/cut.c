// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/cut.h"
#include "util/demangle.h"
#include "util/mem.h"
#include "util/plain.h"

/* Parts that a shorter name lacks. */
#define PARAMETERS 1
#define TEMPLATES 2

/* --- reading ---------------------------------------------------------------- */

/* Returns the length of a group in brackets with the groups inside it, or 0 if it has no end. */
static size_t group_len(const char *name, const char *group)
{
	const char *at = group;
	size_t depth = 0, skipped;

	for (; *at; at++) {
		skipped = demangle_operator_len(name, at);
		if (skipped)
			at += skipped - 1;
		else if (*at == '(' || *at == '<' || *at == '[')
			depth++;
		else if (*at == ')' || *at == ']' || (*at == '>' && (at == name || at[-1] != '-')))
			depth--;
		if (!depth)
			return at + 1 - group;
	}
	return 0;
}

/* Go writes "main.(*Server).Handle", C++ "(anonymous namespace)::f()". */
static bool is_parameters(const char *name, const char *at, size_t len)
{
	return *at == '(' && at > name && at[-1] != '.' && (!at[len] || strchr(" [@:#", at[len])) &&
	       strncmp(at, "(anonymous namespace)", len);
}

/* --- shortening ------------------------------------------------------------- */

/* A shorter name that is being written. */
struct shorter {
	char *text;		/* has room for the whole name */
	size_t len;
	size_t own;		/* where the name itself begins, behind its type */
	bool has_own;		/* blanks that follow belong to the name */
	bool is_odd;		/* a bracket has no end */
};

static void add(struct shorter *to, const char *text, size_t len)
{
	memcpy(to->text + to->len, text, len);
	to->len += len;
}

/* Empties a group, if the name lacks its kind. */
static void add_group(struct shorter *to, const char *group, size_t len, bool is_empty)
{
	if (!is_empty || len < sizeof("(...)") - 1) {
		add(to, group, len);
		return;
	}
	add(to, group, 1);
	add(to, "...", 3);
	add(to, group + len - 1, 1);
}

/* The type of a function is in front of the last blank before its parameters. */
static void begin_parameters(struct shorter *to, unsigned int lacks)
{
	if (lacks & PARAMETERS) {
		memmove(to->text, to->text + to->own, to->len - to->own);
		to->len -= to->own;
		to->own = 0;
	}
	to->has_own = true;
}

static void add_plain(struct shorter *to, const char *at, size_t len, bool is_operator)
{
	add(to, at, len);
	to->has_own |= is_operator;
	if (*at == ' ' && !to->has_own)
		to->own = to->len;
}

/* Returns the length of what was written: a character, an operator or a group. */
static size_t step(struct shorter *to, const char *name, const char *at, unsigned int lacks)
{
	size_t len = demangle_operator_len(name, at);
	bool is_call;

	if (len || !strchr("(<", *at)) {
		add_plain(to, at, len ? len : 1, len);
		return len ? len : 1;
	}
	len = group_len(name, at);
	is_call = is_parameters(name, at, len);
	to->is_odd |= !len;
	if (is_call)
		begin_parameters(to, lacks);
	add_group(to, at, len, is_call ? lacks & PARAMETERS : *at == '<' && lacks & TEMPLATES);
	return len;
}

/* Returns NULL if a bracket has no end. */
static char *without(const char *name, unsigned int lacks)
{
	struct shorter to = { .text = mem_alloc(strlen(name) + 1) };
	const char *at = name;

	while (*at && !to.is_odd)
		at += step(&to, name, at, lacks);
	to.text[to.len] = 0;
	if (!to.is_odd)
		return to.text;
	free(to.text);
	return NULL;
}

/* Returns the next inner scope, from its "::" on, or NULL. All brackets have ends. */
static const char *inner(const char *name, const char *from)
{
	const char *at = from;
	size_t len;

	while (*at) {
		len = demangle_operator_len(name, at);
		if (!len && strchr("(<", *at))
			len = group_len(name, at);
		if (!len && at > from && !strncmp(at, "::", 2))
			return at;
		at += len ? len : 1;
	}
	return NULL;
}

/* Leaves out as few outer scopes as necessary; if all are too few, cuts the middle. */
static char *cut_scopes(const char *name, size_t columns)
{
	size_t own = plain_columns(name, strlen(name)) + 3;
	const char *at = name, *next;

	if (own <= columns + 3)
		return mem_string(name);
	while ((next = inner(name, at))) {
		own -= plain_columns(at, next - at);
		at = next;
		if (own <= columns)
			return mem_format("...%s", at);
	}
	return plain_cut(at == name ? at : at + 2, columns);
}

char *cut_name(const char *name, size_t columns)
{
	char *text, *cut;

	if (plain_columns(name, strlen(name)) <= columns)
		return mem_string(name);
	text = without(name, PARAMETERS);
	if (text && plain_columns(text, strlen(text)) <= columns)
		return text;
	free(text);
	text = without(name, PARAMETERS | TEMPLATES);
	cut = !text ? plain_cut(name, columns) : cut_scopes(text, columns);
	free(text);
	return cut;
}
