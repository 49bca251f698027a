/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MATCH_H
#define MATCH_H

#include <stdbool.h>
#include <stddef.h>

struct match_words;

/* Patterns of function names, as the shell's. */
struct match {
	char **globs;
	size_t nr;
	bool *is_used;	/* which of them have fitted a name so far; NULL: it is not told */
	struct match_words *words;	/* where match_add() finds the plain ones; NULL: nowhere */
};

/* Adds the patterns of a list separated by commas; commas inside () and <> stay. */
void match_add(struct match *match, const char *list);
void match_free(struct match *match);

/* Does a pattern fit the name, with its parameters or without? */
bool match_name(const struct match *match, const char *name);

/*
 * Does one that is written as the linker knows names (_Z4workv, _RNv*) fit the symbol? Others do
 * not look at it: _* means names that begin so in their language.
 */
bool match_symbol(const struct match *match, const char *symbol);

/* Is a pattern the very name, with its parameters or without? */
bool match_is_named(const struct match *match, const char *name);

/* The first pattern that has fitted none so far, or NULL. */
const char *match_unused(const struct match *match);
/* What was told of one by other means. */
void match_use(const struct match *match, size_t glob);

/* The word that is most likely meant, or NULL. */
const char *match_nearest_word(const char *word, const char *const *words, size_t nr);

/* The names of functions and files most like a pattern, best first; returns how many were found. */
size_t match_nearest(const char *glob, const char *const *names, size_t nr_names,
		     const char **nearest, size_t nr_wanted);

#endif
